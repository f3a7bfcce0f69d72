import type { ColumnType, Generated, GeneratedAlways } from "kysely";
import type { StoredCard } from "./chat/cards/card.ts";
import type { StoredPart } from "./chat/part.ts";

/** The tables as the migrations leave them; meanings are in the migrations' comments. */
declare module "../platform/database/schema.ts" {
  interface Database {
    conversations: {
      id: string;
      team_id: string;
      user_id: string;
      title: Generated<string>;
      created_at: CreatedAt;
      updated_at: Generated<Date>;
    };
    conversation_messages: {
      id: string;
      conversation_id: string;
      seq: GeneratedAlways<string>;
      role: "person" | "assistant";
      parts: ColumnType<StoredPart[], string, string>;
      hidden_values: Buffer | null;
      created_at: CreatedAt;
      open_until: Date | null;
    };
    cards: {
      id: string;
      conversation_id: string;
      content: Buffer;
      state: Generated<StoredCard["state"]>;
      expires_at: Date;
      decided_at: Date | null;
      results: ColumnType<string[], string | undefined, string>;
    };
    chat_use: {
      user_id: string;
      day: ColumnType<string, never, never>;
      messages: number;
      tokens: number;
    };
  }
}
