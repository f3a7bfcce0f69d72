import { setTimeout as sleep } from "node:timers/promises";
import { answerOf, openService } from "../api/client.ts";
import { failed, wrongUse } from "../output/cli-error.ts";
import type { Invocation } from "../command-line/command.ts";

const LOOK_MS = 1_000;

const PHASES = {
  carrying: "carrying its image, then its databases",
  preparing: "starting its database there",
  starting: "starting it there",
  routing: "leading its domains there",
  done: "done",
} as const;

/** Moves the app to another server, and waits for the end of that; or gives up the move that goes on. */
export async function move(invocation: Invocation): Promise<void> {
  const { args, flags, terminal } = invocation;
  const [name = ""] = args;
  const server = flags.text("to");
  const isCancel = flags.isSet("cancel");
  if ((server === undefined) !== isCancel)
    throw wrongUse("Name the server that the app goes to with --to SERVER, or give --cancel.");
  const service = await openService(invocation);
  const params = { path: { name } };
  if (server === undefined) {
    const { move: given } = await answerOf(service, service.rest.DELETE("/api/apps/{name}/move", { params }));
    return terminal.result(given, `The move of ${name} is being canceled; it goes on where it was, on ${given.from}.`);
  }
  let { move: seen } = await answerOf(
    service,
    service.rest.POST("/api/apps/{name}/move", { params, body: { server } }),
  );
  if (flags.isSet("detach")) return terminal.result(seen, `${name} moves to ${server}.`);
  for (let told = ""; seen.status === "running" || seen.status === "pending"; await sleep(LOOK_MS)) {
    if (terminal.canAsk && seen.phase !== told) terminal.note(`${name}: ${PHASES[seen.phase]}…`);
    told = seen.phase;
    ({ move: seen } = await answerOf(service, service.rest.GET("/api/apps/{name}/move", { params })));
  }
  if (seen.status !== "success") {
    throw failed(
      "move_failed",
      `${name} goes on where it was, on ${seen.from}: ${seen.error ?? "the move was canceled."}`,
    );
  }
  const refused = seen.refused_seconds === null ? "" : ` Its requests were refused for ${seen.refused_seconds} s.`;
  terminal.result(seen, `${name} is on ${seen.to}.${refused}`);
}
