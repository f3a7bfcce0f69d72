import { requireApp } from "../api/apps.ts";
import { answerOf, done, openService } from "../api/client.ts";
import { askLine } from "../output/ask.ts";
import { wrongUse } from "../output/cli-error.ts";
import type { Invocation } from "../command-line/command.ts";
import { whichApp } from "../project/which-app.ts";

export const start = (invocation: Invocation): Promise<void> => act(invocation, "start");
export const stop = (invocation: Invocation): Promise<void> => act(invocation, "stop");
export const restart = (invocation: Invocation): Promise<void> => act(invocation, "restart");

const RESULTS = {
  start: "is started",
  stop: "is stopped: its container and its data are kept, and `svc start` brings it back",
  restart: "is restarted",
} as const;

async function act(invocation: Invocation, action: keyof typeof RESULTS): Promise<void> {
  const name = invocation.args[0] ?? (await whichApp(invocation));
  const service = await openService(invocation);
  const params = { path: { name } };
  const result = await answerOf(service, service.rest.POST("/api/apps/{name}/action", { params, body: { action } }));
  invocation.terminal.result(result, `${name} ${RESULTS[action]}.`);
}

/** Takes an app off its server, for good with --purge, once its name was typed, or --yes was given. */
export async function deleteApp(invocation: Invocation): Promise<void> {
  const { args, flags, terminal } = invocation;
  const [name = ""] = args;
  const purge = flags.isSet("purge");
  const service = await openService(invocation);
  const app = await requireApp(service, name);
  const hasDatabase = app.database_name !== null;
  if (!flags.isSet("yes")) await confirm(invocation, name, consequence(name, purge, hasDatabase));
  await done(
    service,
    service.rest.DELETE("/api/apps/{name}", { params: { path: { name }, query: purge ? { purge: "1" } : {} } }),
  );
  const dump = hasDatabase ? " A last dump of its database is kept on its server for 7 days." : "";
  const kept = hasDatabase ? "Its name and its database stay" : "Its name stays";
  const text = purge
    ? `${name} is gone, and its name is free.${dump}`
    : `${name} is removed from its server. ${kept}: \`svc deploy --app ${name}\` brings it back, ` +
      `\`svc apps delete ${name} --purge\` removes it for good.`;
  terminal.result({ deleted: name, purged: purge }, text);
}

function consequence(name: string, purge: boolean, hasDatabase: boolean): string {
  const kept = hasDatabase ? "its name and its database stay" : "its name stays";
  const removed = hasDatabase ? "settings, releases and database" : "settings and releases";
  return purge
    ? `The container of ${name}, its ${removed} are removed for good`
    : `The container of ${name} and its routes are removed; ${kept}`;
}

/** @throws CliError wrong_use */
async function confirm({ terminal }: Invocation, name: string, what: string): Promise<void> {
  if (!terminal.canAsk) throw wrongUse(`${what}. Give --yes to have it done without a question.`);
  terminal.note(`${what}.`);
  const typed = await askLine(terminal, "Type the app's name to go on: ");
  if (typed !== name) throw wrongUse(`${JSON.stringify(typed)} is not ${name}: nothing was changed.`);
}
