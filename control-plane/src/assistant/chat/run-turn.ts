import { ToolRefusal } from "../service.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { Answer, type Emit } from "./answer.ts";
import { cardView, type CardKeys, type OpenedCard } from "./cards/card-view.ts";
import { runCard } from "./cards/run-card.ts";
import { ownerOf, serviceOf, toolsFor, type ChatParts, type Page, type Turn } from "./chat-parts.ts";
import { answerByGrammar } from "./grammar/answer-by-grammar.ts";
import { answerByModel } from "./model/answer-by-model.ts";
import { INTERRUPTED } from "./part.ts";
import { MODEL_TIMING, ModelProblem } from "./model/ask-model.ts";

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
