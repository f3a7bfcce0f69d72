import { ToolRefusal } from "../service.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { Answer, type Emit } from "./answer.ts";
import { type CardKeys, cardView, type OpenedCard } from "./cards/card-view.ts";
import { type ChatParts, ownerOf, type Page, serviceOf, toolsFor, type Turn } from "./chat-parts.ts";
import { answerByGrammar } from "./grammar/answer-by-grammar.ts";
import { answerByModel } from "./model/answer-by-model.ts";
import { INTERRUPTED } from "./part.ts";
import { MODEL_TIMING, ModelProblem } from "./model/ask-model.ts";
import { toSvcError } from "@svc/shared/errors.ts";
import { TOOLS } from "../table.ts";
import type { Call } from "./grammar/intents.ts";
import { RUN_MS_MAX, type StoredCard } from "./cards/card.ts";
import { endCard } from "./cards/cards.store.ts";
import { requireSameApps } from "./cards/named-apps.ts";

export interface TurnRequest {
  ctx: OperationContext;
  parts: ChatParts;
  /** Headers of the request that began it. */
  headers: Headers;
  conversationId: string;
  /** The answer's id. */
  messageId: string;
  page: Page;
}

/** Answers what the person wrote. Never rejects: what goes wrong is told and kept as a part of the answer. */
export function answerText(request: TurnRequest, text: string, emit: Emit, signal: AbortSignal): Promise<void> {
  return inTurn(request, emit, signal, async (turn) => {
    const { model } = turn.parts;
    if (!model) return answerByGrammar(turn, text);
    const isAnswered = await tryModel(turn);
    // The grammar does what it can, unless the model has begun to.
    if (!isAnswered && turn.answer.parts.every(({ type }) => type === "problem"))
      await answerByGrammar(turn, text, true);
  });
}

/** Does what the card says, tells what came of it, and lets the model go on with that. */
export function carryOutCard(
  request: TurnRequest,
  keys: CardKeys,
  card: OpenedCard,
  emit: Emit,
  signal: AbortSignal,
): Promise<void> {
  return inTurn(request, emit, signal, async (turn) => {
    const { ctx, parts, headers } = request;
    const running = { ...card.row, state: "running" as const, isBeingDone: true };
    turn.answer.cardChanged(cardView(keys, turn.owner, running, ctx.clock.now()));
    const ended = await runCard(ctx, parts, headers, card);
    turn.answer.cardChanged(cardView(keys, turn.owner, { ...running, ...ended }, ctx.clock.now()));
    if (parts.model) await tryModel(turn);
  });
}

async function inTurn(
  { ctx, parts, headers, conversationId, messageId, page }: TurnRequest,
  emit: Emit,
  signal: AbortSignal,
  work: (turn: Turn) => Promise<void>,
): Promise<void> {
  const answer = new Answer(ctx.db, messageId, emit);
  try {
    const [owner, tools] = [ownerOf(ctx), toolsFor(parts, ctx)];
    const service = serviceOf(parts, headers);
    await work({ ctx, parts, owner, conversationId, page, service, tools, answer, signal });
  } catch (error) {
    await tellFault(parts, answer, error, signal).catch((fault: unknown) =>
      parts.log.error({ err: fault }, "a chat's answer could not be kept"),
    );
  }
  await answer.end().catch((error: unknown) => parts.log.error({ err: error }, "a chat's answer could not be kept"));
}

/** Returns whether the model has answered; if not, why is told. */
async function tryModel({ parts, ...turn }: Turn): Promise<boolean> {
  try {
    await answerByModel({ parts, ...turn }, parts.model!, { ...MODEL_TIMING, ...parts.modelTiming });
    return true;
  } catch (error) {
    if (!(error instanceof ModelProblem) || turn.signal.aborted) throw error;
    parts.log.warn({ reason: error.reason, problem: error.code }, "the model gave no answer");
    await turn.answer.problem(error.code, error.message);
    return false;
  }
}

async function tellFault(parts: ChatParts, answer: Answer, error: unknown, signal: AbortSignal): Promise<void> {
  if (signal.aborted) {
    return answer.problem("interrupted", INTERRUPTED);
  }
  if (error instanceof ToolRefusal) return answer.problem("refused", error.message);
  parts.log.error({ err: error }, "a chat's answer failed");
  await answer.problem("interrupted", "Something went wrong on our side. What was said before is kept: ask again.");
}

/**
 * Does what the person has agreed to: the actions in their order, up to the first that fails. It goes on when its person goes.
 * @param headers of the request that decided it
 */
async function runCard(
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
