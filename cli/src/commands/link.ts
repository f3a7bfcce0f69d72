import { requireApp } from "../api/apps.ts";
import { answerOf, openService, type Service } from "../api/client.ts";
import { askLine } from "../output/ask.ts";
import { failed, wrongUse } from "../output/cli-error.ts";
import type { Invocation } from "../command-line/command.ts";
import { linkedApp, linkFolder, unlinkFolder } from "../project/link.ts";
import { readSpecFile } from "../project/spec-file.ts";

/** Remembers which app the commands in this folder are for. */
export async function link(invocation: Invocation): Promise<void> {
  const { args, dir, flags, terminal } = invocation;
  const spec = readSpecFile(dir);
  const service = await openService(invocation);
  const given = args[0] ?? flags.text("app");
  const { name } = await requireApp(service, given ?? (await chooseApp(invocation, service)));
  await linkFolder(invocation, name);
  if (spec && spec.spec.name !== name) {
    terminal.note(`Note: ${spec.file} names ${spec.spec.name}, which counts as long as it is there.`);
  }
  terminal.result({ dir, app: name }, `The commands in ${dir} are for ${name}; \`svc unlink\` ends that.`);
}

/** @throws CliError wrong_use where nobody can be asked, no_apps */
async function chooseApp({ terminal }: Invocation, service: Service): Promise<string> {
  const { apps } = await answerOf(service, service.rest.GET("/api/apps"));
  if (apps.length === 0) throw failed("no_apps", "You have no apps: `svc up` creates one.");
  const names = apps.map(({ name }) => name);
  if (!terminal.canAsk) throw wrongUse(`APP is missing: svc link APP. Your apps: ${names.join(", ")}.`);
  terminal.note(names.map((name, i) => `  ${String(i + 1).padStart(String(names.length).length)}  ${name}`).join("\n"));
  const typed = await askLine(terminal, "App of this folder (number or name): ");
  // A name may be digits, and counts before the number.
  return names.includes(typed) ? typed : (names[Number(typed) - 1] ?? typed);
}

/** Forgets it. */
export async function unlink(invocation: Invocation): Promise<void> {
  const { dir, terminal } = invocation;
  const app = await linkedApp(invocation);
  if (app === undefined) throw wrongUse(`${dir} is linked to no app: \`svc link\` does that.`);
  await unlinkFolder(invocation);
  terminal.result({ dir, unlinked: app }, `${dir} is no longer linked to ${app}.`);
}
