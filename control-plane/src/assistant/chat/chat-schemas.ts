import { z } from "@hono/zod-openapi";
import { PROBLEM_CODES } from "./part.ts";

const id = z.string().openapi({ format: "uuid" });
const time = z.string().openapi({ format: "date-time" });

export const ConversationSchema = z
  .object({
    id,
    title: z.string().openapi({ description: "The beginning of its first message; empty before that." }),
    created_at: time,
    updated_at: time,
  })
  .openapi("Conversation");

const CardSchema = z
  .object({
    id,
    state: z.enum(["proposed", "running", "done", "failed", "left", "expired", "unknown"]),
    sentence: z
      .string()
      .openapi({ description: "What it would do; begins with a verb.", example: "deploy hello from main" }),
    requests: z
      .array(
        z.object({
          method: z.enum(["POST", "PUT", "PATCH", "DELETE"]),
          path: z.string().openapi({ example: "/api/apps/hello/deploy" }),
          body: z.looseObject({}).optional(),
        }),
      )
      .openapi({
        description:
          "The requests that it sends, in this order, until one is refused. Values that the person has written are `…`.",
      }),
    destroys: z.boolean().openapi({ description: "Something is gone afterwards." }),
    expires_at: time,
    signature: z
      .string()
      .optional()
      .openapi({ description: "Send it back with the decision. It is there only while the card is proposed." }),
    result: z.string().optional().openapi({ description: "What came of it." }),
  })
  .openapi("Card");
export type CardView = z.infer<typeof CardSchema>;

const PartSchema = z
  .union([
    z.object({ type: z.literal("text"), text: z.string() }),
    z
      .object({ type: z.literal("looked"), tool: z.string(), title: z.string(), text: z.string().optional() })
      .openapi({ description: "A tool that was asked, and what it answered to the person." }),
    z.object({ type: z.literal("card"), card: CardSchema }),
    z.object({ type: z.literal("problem"), code: z.enum(PROBLEM_CODES), detail: z.string() }),
  ])
  .openapi("MessagePart");
export type PartView = z.infer<typeof PartSchema>;

export const MessageSchema = z
  .object({
    id,
    role: z.enum(["person", "assistant"]),
    parts: z.array(PartSchema),
    created_at: time,
    being_written: z.literal(true).optional().openapi({ description: "More of it comes, here or to another reader." }),
  })
  .openapi("Message");
export type MessageView = z.infer<typeof MessageSchema>;

export const ChatSchema = z
  .object({
    model: z
      .string()
      .nullable()
      .openapi({ description: "The model that answers; null when a grammar does.", example: null }),
    limits: z
      .object({ messages_left: z.int(), tokens_left: z.int(), resets_at: time })
      .openapi({ description: "What is left of the person's day (UTC)." }),
  })
  .openapi("Chat");
