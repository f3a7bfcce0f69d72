import { answerOf, openService } from "../api/client.ts";
import { failed, wrongUse } from "../output/cli-error.ts";
import type { Invocation } from "../command-line/command.ts";
import { newestDeploy, requireApp } from "../api/apps.ts";
import { openApp } from "../project/which-app.ts";

/** Goes back to an earlier release; answers when that is live. */
export async function rollback(invocation: Invocation): Promise<void> {
  const { args, terminal } = invocation;
  const [release] = args;
  const { name, service } = await openApp(invocation);
  if (terminal.canAsk) terminal.note(`Rolling back ${name}…`);
  const params = { path: { name } };
  const body = release === undefined ? {} : { release };
  await answerOf(service, service.rest.POST("/api/apps/{name}/rollback", { params, body }));
  const app = await requireApp(service, name);
  const { current_release: current, url } = app;
  terminal.result(
    { status: "rolled_back", release: current, url },
    `Live as ${current ?? "before"}, with the variables it had: ${url}`,
  );
}

/** Cancels a deploy: the one that is named, or the one of the app that runs. */
export async function cancel(invocation: Invocation): Promise<void> {
  const { args, terminal } = invocation;
  const service = await openService(invocation);
  const id = args[0] ?? (await runningDeploy(invocation));
  if (!/^[A-Za-z0-9-]+$/.test(id)) throw wrongUse(`${JSON.stringify(id)} is not the identifier of a deploy.`);
  const params = { path: { id } };
  const canceled = await answerOf(service, service.rest.POST("/api/deploys/{id}/cancel", { params }));
  const text = canceled.status === "canceled" ? `The deploy ${id} is canceled.` : `The deploy ${id} is being canceled.`;
  terminal.result(canceled, text);
}

async function runningDeploy(invocation: Invocation): Promise<string> {
  const { name, service } = await openApp(invocation);
  const newest = await newestDeploy(service, name);
  if (newest && (newest.status === "running" || newest.status === "pending")) return newest.id;
  throw failed("nothing_runs", `No deploy of ${name} runs.`);
}
