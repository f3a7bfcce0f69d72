import { stateOf, type StoredCard } from "../cards/card.ts";
import type { ModelCall, StoredPart } from "../part.ts";

/** A message as a model gets it, in the form of `ai` (`ModelMessage`). */
export type HistoryMessage =
  | { role: "user"; content: string }
  | { role: "assistant"; content: AssistantContent[] }
  | { role: "tool"; content: ToolResult[] };
type AssistantContent =
  | { type: "text"; text: string }
  | { type: "tool-call"; toolCallId: string; toolName: string; input: Record<string, unknown> };
interface ToolResult {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: { type: "text"; value: string };
}

/** The newest messages of a long conversation are told: some 15,000 tokens. UTF-16 units. */
const LENGTH_MAX = 45_000;

export interface Said {
  role: "person" | "assistant";
  parts: readonly StoredPart[];
}

/** Tells a model what was said: its own calls with their answers, and what came of cards. */
export function historyOf(said: readonly Said[], cards: ReadonlyMap<string, StoredCard>, now: Date): HistoryMessage[] {
  let left = LENGTH_MAX;
  const told: HistoryMessage[][] = [];
  for (const each of said.toReversed()) {
    const messages = each.role === "person" ? [personOf(each.parts)] : assistantOf(each.parts, cards, now);
    left -= JSON.stringify(messages).length;
    // The question that is being answered is told in any case.
    if (left < 0 && told.some(([first]) => first?.role === "user")) break;
    told.unshift(messages);
  }
  // A model's server expects a person's words first.
  return told.slice(told.findIndex(([first]) => first?.role === "user")).flat();
}

function personOf(parts: readonly StoredPart[]): HistoryMessage {
  return { role: "user", content: parts.map((part) => (part.type === "text" ? part.text : "")).join("\n") };
}

function assistantOf(
  parts: readonly StoredPart[],
  cards: ReadonlyMap<string, StoredCard>,
  now: Date,
): HistoryMessage[] {
  return parts.flatMap((part): HistoryMessage[] => {
    switch (part.type) {
      case "text":
        return part.text === "" ? [] : [{ role: "assistant", content: [{ type: "text", text: part.text }] }];
      case "looked":
      case "misfit":
        return callsWith([part.call], [part.answer]);
      case "card":
        return callsWith(part.calls, resultsOf(part.calls.length, cards.get(part.card), now));
      case "problem":
        return [];
    }
  });
}

function callsWith(calls: readonly ModelCall[], answers: readonly string[]): HistoryMessage[] {
  return [
    {
      role: "assistant",
      content: calls.map(({ id, tool, input }) => ({ type: "tool-call", toolCallId: id, toolName: tool, input })),
    },
    {
      role: "tool",
      content: calls.map(({ id, tool }, index) => ({
        type: "tool-result",
        toolCallId: id,
        toolName: tool,
        output: { type: "text", value: answers[index] ?? "" },
      })),
    },
  ];
}

function resultsOf(count: number, card: StoredCard | undefined, now: Date): string[] {
  const state = card ? stateOf(card, now) : "expired";
  const sentences = {
    proposed: "The person sees it as a card, and has not decided yet. Nothing was done.",
    running: "The person has agreed, and it is being done.",
    left: "The person has decided against it. Nothing was done.",
    expired: "The person has not decided in time. Nothing was done.",
    done: "Done.",
    failed: "Not done, since what comes before it failed.",
    unknown: "It is not known whether it was done: look at the app.",
  } as const satisfies Record<typeof state, string>;
  return Array.from({ length: count }, (_, index) => card?.results[index] ?? sentences[state]);
}
