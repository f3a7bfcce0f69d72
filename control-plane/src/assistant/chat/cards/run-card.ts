import { toSvcError } from "@svc/shared/errors.ts";
import { ToolRefusal } from "../../service.ts";
import { TOOLS } from "../../table.ts";
import { serviceOf, type ChatParts } from "../chat-parts.ts";
import type { OperationContext } from "../../../platform/operation.ts";
import type { Call } from "../grammar/intents.ts";
import { RUN_MS_MAX, type StoredCard } from "./card.ts";
import type { OpenedCard } from "./card-view.ts";
import { endCard } from "./cards.store.ts";
import { requireSameApps } from "./named-apps.ts";

/**
 * Does what the person has agreed to: the actions in their order, up to the first that fails. It goes on when its person goes.
 * @param headers of the request that decided it
 */
export async function runCard(
  ctx: OperationContext,
  parts: ChatParts,
  headers: Headers,
  { id, proposal }: OpenedCard,
): Promise<Pick<StoredCard, "results" | "state">> {
  const results: string[] = [];
  const signal = AbortSignal.timeout(RUN_MS_MAX);
  let state: "done" | "failed" = "done";
  for (const [number, action] of proposal.actions.entries()) {
    try {
      // The card says by now that nobody knows what came of it.
      if (signal.aborted) throw new ToolRefusal("It was not begun: what came before it took too long.");
      // A request that arrives twice is done once.
      const service = serviceOf(parts, headers, { "Idempotency-Key": `card-${id}-${number}` });
      if (number === 0) await requireSameApps(service, proposal.apps);
      results.push(await run(action, { service, signal }));
    } catch (error) {
      state = "failed";
      if (!(error instanceof ToolRefusal)) parts.log.error({ err: error, card: id }, "a card's action failed");
      results.push(error instanceof ToolRefusal ? error.message : toSvcError(error).message);
      break;
    }
  }
  await endCard(ctx.db, id, { state, results });
  return { state, results };
}

async function run(
  { tool: name, input }: Call,
  context: Parameters<(typeof TOOLS)[number]["run"]>[0],
): Promise<string> {
  const tool = TOOLS.find((each) => each.name === name);
  if (!tool) throw new ToolRefusal(`The tool ${name} is not there any more. Ask again for what is left.`);
  return tool.run(context, input);
}
