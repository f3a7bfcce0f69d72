import { newId } from "@svc/shared/rules/ids.ts";
import { answerOf, type Service } from "../../service.ts";
import type { Tool } from "../../tool.ts";
import type { Page, Turn } from "../chat-parts.ts";
import { makeCalls } from "../make-calls.ts";
import { understand, type Surroundings } from "./understand.ts";

/**
 * Answers without a model: says what it has understood, and makes the calls.
 * @param isSpare whether a model should have answered: then nothing is said about what is not understood
 */
export async function answerByGrammar(turn: Turn, text: string, isSpare = false): Promise<void> {
  const { service, tools, page, answer } = turn;
  const understood = understand(text, await surroundingsOf(service, tools, page));
  if (understood.kind !== "calls") {
    if (understood.kind === "words" || !isSpare) await answer.text(understood.words);
    return;
  }
  await answer.text(`Understood: ${understood.says}.`);
  const calls = understood.calls.map(({ tool, input }) => ({ id: newId(), tool, input }));
  const { misfits } = await makeCalls(turn, calls, true);
  for (const misfit of misfits) await answer.problem("refused", misfit);
}

export async function surroundingsOf(service: Service, tools: readonly Tool[], page: Page): Promise<Surroundings> {
  const names = new Set(tools.map(({ name }) => name));
  if (!names.has("list_apps")) return { ...page, apps: [], tools: names };
  const { apps } = await answerOf(service.GET("/api/apps"));
  return { ...page, apps: apps.map(({ name }) => name), tools: names };
}
