import type { ChatState } from "../../client/answers.ts";
import { shownTime } from "../time.ts";

/** Below these, a person hears how much is left. */
const MESSAGES_FEW = 20;
const TOKENS_FEW = 30_000;

/** The words for who answers. */
export function answererText(model: string | null): string {
  return model === null
    ? "No model is set up here: a fixed set of commands is understood. Write help to see them."
    : `The model ${model} answers, and may be wrong.`;
}

/** The words for what is left of the day's limits; undefined while that is plenty. */
export function limitsText({ limits }: Pick<ChatState, "limits">): string | undefined {
  const { messages_left: messages, tokens_left: tokens, resets_at } = limits;
  const left = [
    ...(messages <= MESSAGES_FEW ? [`${messages} ${messages === 1 ? "message" : "messages"}`] : []),
    ...(tokens <= TOKENS_FEW ? [`${tokens} tokens`] : []),
  ];
  return left.length === 0 ? undefined : `Left until ${shownTime(resets_at)}: ${left.join(" and ")}.`;
}

/** Questions to begin with. @param app a name to begin with */
export function examplesFor(app: string): readonly string[] {
  return [`status of ${app}`, `why did the last deploy of ${app} fail?`, `deploy ${app}`, `logs of ${app}`];
}
