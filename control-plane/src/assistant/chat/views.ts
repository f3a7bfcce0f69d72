import type { CardView, MessageView, PartView } from "./chat-schemas.ts";
import type { ConversationRow } from "./conversations.store.ts";
import type { MessageRow } from "./messages.store.ts";
import { INTERRUPTED, type StoredPart } from "./part.ts";

export function conversationView({ id, title, created_at, updated_at }: ConversationRow) {
  return { id, title, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
}

/** The end of an answer whose process has died, or could not write it. */
const BROKEN: PartView = { type: "problem", code: "interrupted", detail: INTERRUPTED };

export function messageView(row: MessageRow, cards: ReadonlyMap<string, CardView>): MessageView {
  const parts = row.parts.flatMap((part) => partView(part, cards));
  return {
    id: row.id,
    role: row.role,
    parts: row.is_broken ? [...parts, BROKEN] : parts,
    created_at: row.created_at.toISOString(),
    ...(row.is_open && { being_written: true as const }),
  };
}

function partView(part: StoredPart, cards: ReadonlyMap<string, CardView>): PartView[] {
  switch (part.type) {
    case "looked": {
      const { type, tool, title, text } = part;
      return [{ type, tool, title, ...(text !== undefined && { text }) }];
    }
    case "card": {
      const card = cards.get(part.card);
      return card ? [{ type: "card", card }] : [];
    }
    case "misfit":
      return [];
    default:
      return [part];
  }
}
