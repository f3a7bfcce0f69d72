import { checkoutFiles } from "@svc/shared/frameworks/repository/checkout-files.ts";
import { SPEC_FILES } from "@svc/shared/spec/deploy-spec.ts";
import { wrongUse } from "../output/cli-error.ts";
import type { Invocation } from "../command-line/command.ts";
import { nameOfFolder, writeSpecFile } from "../project/new-spec-file.ts";

/** Writes a spec file for the folder. */
export async function init({ dir, flags, terminal }: Invocation): Promise<void> {
  const there = SPEC_FILES.find((file) => checkoutFiles(dir).list().includes(file));
  if (there !== undefined) throw wrongUse(`${there} is there already: edit it, or delete it first.`);
  const name = flags.text("app") ?? nameOfFolder(dir);
  const { file, plan, problem } = await writeSpecFile(dir, name);
  if (problem !== undefined) terminal.note(`Note: ${problem}`);
  const next =
    plan === undefined
      ? "It can't be deployed yet: do what the note says, then `svc up`."
      : `Detected ${plan.framework}: ${plan.reason}. Look it over, then \`svc up\`.`;
  terminal.result(
    { file, name, framework: plan?.framework ?? null, reason: plan?.reason ?? null },
    `Wrote ${file} for the app ${name}. ${next}`,
  );
}
