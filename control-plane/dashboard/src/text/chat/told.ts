import type { Card, Message, Part } from "../../client/answers.ts";
import type { StreamEvent } from "../../client/chat/event-reader.ts";

/** The person's newest message, until the conversation is read from the service again. */
export function writtenMessage(text: string): Message {
  return { id: "", role: "person", parts: [{ type: "text", text }], created_at: new Date().toISOString() };
}

/** Adds an event of an answer to the conversation. An event that this page does not know changes nothing. */
export function withEvent(messages: readonly Message[], { name, data }: StreamEvent): readonly Message[] {
  if (typeof data !== "object" || data === null) return messages;
  if (name === "message") return withMessage(messages, data as Pick<Message, "id" | "role">);
  if (name === "text") return withText(messages, String((data as { delta?: unknown }).delta ?? ""));
  if (name === "card") return withCard(messages, data as Card);
  if (name === "looked" || name === "problem") return withPart(messages, { ...data, type: name } as Part);
  return messages;
}

/** Begins a message, unless there is one with that id. */
function withMessage(messages: readonly Message[], { id, role }: Pick<Message, "id" | "role">): readonly Message[] {
  if (messages.some((message) => message.id === id)) return messages;
  return [...messages, { id, role, parts: [], created_at: new Date().toISOString() }];
}

function withText(messages: readonly Message[], delta: string): readonly Message[] {
  const last = messages.at(-1);
  const part = last?.parts.at(-1);
  if (last?.role !== "assistant" || part?.type !== "text") return withPart(messages, { type: "text", text: delta });
  const parts = [...last.parts.slice(0, -1), { type: "text" as const, text: part.text + delta }];
  return [...messages.slice(0, -1), { ...last, parts }];
}

/** A card that is there already stands differently now, wherever in the conversation it is. */
function withCard(messages: readonly Message[], card: Card): readonly Message[] {
  const isIt = (part: Part) => part.type === "card" && part.card.id === card.id;
  if (!messages.some(({ parts }) => parts.some(isIt))) return withPart(messages, { type: "card", card });
  return messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => (isIt(part) ? { type: "card" as const, card } : part)),
  }));
}

function withPart(messages: readonly Message[], part: Part): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role === "assistant") return [...messages.slice(0, -1), { ...last, parts: [...last.parts, part] }];
  return withPart(withMessage(messages, { id: `answer ${messages.length}`, role: "assistant" }), part);
}

/** Whether something that was decided is still being done, or an answer is still being written, maybe for another page. */
export function isDoing(messages: readonly Message[]): boolean {
  return isBeingAnswered(messages) || messages.some(({ parts }) => parts.some(isRunning));
}

export function isBeingAnswered(messages: readonly Message[]): boolean {
  return messages.some(({ being_written: isBeingWritten }) => isBeingWritten === true);
}

function isRunning(part: Part): boolean {
  return part.type === "card" && part.card.state === "running";
}
