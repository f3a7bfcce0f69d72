import { newId } from "@svc/shared/rules/ids.ts";
import { settleTokens, takeTokens, TOKENS_A_DAY_MAX } from "../chat-use.store.ts";
import type { Page, Turn } from "../chat-parts.ts";
import { readCards } from "../cards/cards.store.ts";
import { makeCalls } from "../make-calls.ts";
import { readMessages } from "../messages.store.ts";
import {
  askModel,
  estimateTokens,
  type ModelConfig,
  ModelProblem,
  type ModelStep,
  type ModelTiming,
  type Question,
} from "./ask-model.ts";
import { historyOf } from "./history.ts";
import { DATA_MARKS } from "../../as-data.ts";

/** Questions to the model for one answer: each may be followed by calls of tools. */
const STEPS_MAX = 8;
/** Steps of nothing but calls that can't be made, one after the other. */
const MISFIT_STEPS_MAX = 3;

/**
 * Answers by the model: asks it, makes the calls that it wants, and asks again, until it has said what it has to say, or the person
 * has to decide on a card.
 * @throws ModelProblem
 */
export async function answerByModel(turn: Turn, config: ModelConfig, timing: ModelTiming): Promise<void> {
  const { ctx, conversationId, answer } = turn;
  const before = (await readMessages(ctx.db, conversationId)).filter(({ is_open: isOpen }) => !isOpen);
  const cards = new Map((await readCards(ctx.db, conversationId)).map((card) => [card.id, card]));
  const signal = AbortSignal.any([turn.signal, AbortSignal.timeout(timing.turnMs)]);
  let misfitSteps = 0;
  for (let step = 0; step < STEPS_MAX; step++) {
    const said = [...before, { role: "assistant" as const, parts: answer.parts }];
    const { text, calls } = await askCounted(turn, config, timing, {
      instructions: instructionsFor(turn.page),
      messages: historyOf(said, cards, ctx.clock.now()),
      tools: turn.tools,
      signal,
      onText: (delta) => answer.text(delta),
    });
    if (calls.length === 0) {
      if (text.trim() === "")
        throw new ModelProblem("model_nonsense", "The model gave an empty answer. Ask again, or in other words.");
      return;
    }
    // An id of its own for each call: a model may give the same one twice.
    const { isProposed, misfits } = await makeCalls(
      turn,
      calls.map(({ tool, input }) => ({ id: newId(), tool, input })),
      false,
    );
    if (isProposed) return;
    misfitSteps = misfits.length === calls.length ? misfitSteps + 1 : 0;
    if (misfitSteps === MISFIT_STEPS_MAX) {
      throw new ModelProblem("model_nonsense", "The model asked for things that are not there. Ask in other words.");
    }
  }
  throw new ModelProblem(
    "model_nonsense",
    `The model looked ${STEPS_MAX} times and came to no answer. Ask for less at a time.`,
  );
}

/** Counts the tokens before they are used, by an estimate, and by the model's own figure afterwards. */
async function askCounted(
  { ctx, owner: { userId } }: Turn,
  config: ModelConfig,
  timing: ModelTiming,
  question: Question,
): Promise<ModelStep> {
  const estimate = estimateTokens(question);
  if (!(await takeTokens(ctx.db, userId, estimate))) {
    throw new ModelProblem(
      "limit_reached",
      `You have used up the ${TOKENS_A_DAY_MAX} tokens of the model that each person has a day. It answers again tomorrow (UTC).`,
    );
  }
  let used = 0;
  try {
    return await askModel(config, timing, question, (tokens) => void (used = tokens));
  } catch (error) {
    // The model's server works on the question of a person who has gone, and may not have said so yet.
    if (question.signal.aborted && used === 0) used = estimate;
    throw error;
  } finally {
    await settleTokens(ctx.db, userId, used - estimate);
  }
}

const BASE =
  "You help a person to deploy and run apps on this platform, with the tools that you have. Answer in the person's language, " +
  "briefly, in plain words and without headings. Look before you answer: begin with list_apps when you don't know the app. " +
  "Tools that change something are not run when you call them: the person is shown what would happen, and decides. Call them without " +
  "asking first, all that belong together at once, and only for what the person has asked for. Never say that something was done " +
  "before a tool's answer says so. Values of variables are hidden from you: a placeholder such as «value 1» stands for one; pass it " +
  `on as it is. ${DATA_MARKS}`;

/** @param page names that were checked: nobody else's text is in it */
function instructionsFor({ app, deploy }: Page): string {
  const seen = [app && `the app ${app}`, deploy && `the deploy ${deploy}`].filter(Boolean).join(", ");
  return seen === "" ? BASE : `${BASE} The person looks at the page of ${seen}.`;
}
