import { z } from "@hono/zod-openapi";
import { isId, newId } from "@svc/shared/rules/ids.ts";
import { inTransaction } from "../../platform/database/database.ts";
import { json } from "../../platform/http/answer.ts";
import { EVENT_STREAM_HEADERS } from "../../platform/http/event-stream.ts";
import { route, success } from "../../platform/http/route.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { ToolRefusal } from "../service.ts";
import { appName } from "../tool.ts";
import { beginTurn } from "./begin-turn.ts";
import { cardView } from "./cards/card-view.ts";
import { readCards } from "./cards/cards.store.ts";
import { decideCard } from "./cards/decide-card.ts";
import { openCardKeys } from "./cards/signing-key.ts";
import { ownerOf, serviceOf, toolsFor, type ChatParts } from "./chat-parts.ts";
import { ChatSchema, ConversationSchema, MessageSchema } from "./chat-schemas.ts";
import { readUseLeft } from "./chat-use.store.ts";
import { deleteConversation, insertConversation, readConversations } from "./conversations.store.ts";
import { findConversation, noSuchConversation } from "./find-conversation.ts";
import { surroundingsOf } from "./grammar/answer-by-grammar.ts";
import { complete } from "./grammar/understand.ts";
import { readMessages } from "./messages.store.ts";
import { answerText, carryOutCard } from "./run-turn.ts";
import { turnStream } from "./turn-stream.ts";
import { conversationView, messageView } from "./views.ts";

const TEXT_LENGTH_MAX = 4_000;
const CONVERSATION = { id: "id of the conversation" };

const TURN =
  "Server-sent events: `message` ({id, role}), then, as they come, `text` ({delta}), `looked` ({tool, title, text}; a tool that was " +
  "asked), `card` (a Card: new, or its new state), `problem` ({code, detail}), and `done` at the end. `still_here` comes every 10 s. " +
  "When its reader goes, an answer ends, and its words until then are kept; what a card does goes on.";

/**
 * Nobody but the person reads them, and they may be about everything: a key needs all scopes for them. What a card does is counted by
 * its own requests.
 */
const FOR_PERSON = { tag: "chat", scope: "unscoped", role: "viewer", subject: "none", countsAsRead: true } as const;

export function chatRoutes(parts: ChatParts) {
  return [
    route({
      ...FOR_PERSON,
      method: "get",
      path: "/api/chat",
      operationId: "readChat",
      summary: "Who answers in the chat, and what is left of the day",
      description: "Extension.",
      successes: success(200, "the chat", ChatSchema),
      async handle(ctx) {
        const { messages, tokens, resetsAt } = await readUseLeft(ctx.db, ownerOf(ctx).userId);
        const limits = { messages_left: messages, tokens_left: tokens, resets_at: resetsAt.toISOString() };
        return json(200, { model: parts.model?.name ?? null, limits });
      },
    }),
    route({
      ...FOR_PERSON,
      method: "get",
      path: "/api/chat/completions",
      operationId: "completeChat",
      summary: "Sentences that begin with a text",
      description: "Extension. Each is understood also without a model; at most 8.",
      query: z.strictObject({
        text: z.string().max(TEXT_LENGTH_MAX).optional(),
        app: z.string().optional().openapi({ description: "The app whose page is looked at." }),
      }),
      successes: success(200, "whole sentences", { completions: z.array(z.string()) }),
      async handle(ctx, { query, headers }) {
        const page = { app: appName.safeParse(query.app).data };
        const around = await surroundingsOf(serviceOf(parts, headers), toolsFor(parts, ctx), page).catch(
          noneWhenRefused,
        );
        return json(200, { completions: around ? complete(query.text ?? "", around) : [] });
      },
    }),
    route({
      ...FOR_PERSON,
      method: "get",
      path: "/api/conversations",
      operationId: "listConversations",
      summary: "List the caller's conversations",
      description:
        "Extension. They are of the team that the caller acts in, the newest first. A person has 50 at most.",
      successes: success(200, "the conversations", { conversations: z.array(ConversationSchema) }),
      async handle(ctx) {
        return json(200, { conversations: (await readConversations(ctx.db, ownerOf(ctx))).map(conversationView) });
      },
    }),
    route({
      ...FOR_PERSON,
      method: "post",
      path: "/api/conversations",
      operationId: "createConversation",
      summary: "Begin a conversation",
      description: "Extension. When the person has 50, the one that was not used for longest is gone.",
      bodyOptional: true,
      successes: success(201, "begun", { conversation: ConversationSchema }),
      async handle(ctx) {
        const row = await inTransaction(ctx.db, (tx) => insertConversation(tx, newId(), ownerOf(ctx)));
        return json(201, { conversation: conversationView(row) });
      },
    }),
    route({
      ...FOR_PERSON,
      method: "get",
      path: "/api/conversations/{id}",
      operationId: "readConversation",
      summary: "Read a conversation",
      description: "Extension. An answer that was interrupted says so.",
      params: CONVERSATION,
      successes: success(200, "the conversation, its oldest message first", {
        conversation: ConversationSchema,
        messages: z.array(MessageSchema),
      }),
      async handle(ctx, { params: { id = "" } }) {
        const conversation = await findConversation(ctx, id);
        const keys = await openCardKeys(ctx.db, ctx.keyRing);
        const [messages, rows] = [await readMessages(ctx.db, id), await readCards(ctx.db, id)];
        const cards = new Map(rows.map((row) => [row.id, cardView(keys, ownerOf(ctx), row, ctx.clock.now())]));
        return json(200, {
          conversation: conversationView(conversation),
          messages: messages.map((message) => messageView(message, cards)),
        });
      },
    }),
    route({
      ...FOR_PERSON,
      method: "delete",
      path: "/api/conversations/{id}",
      operationId: "deleteConversation",
      summary: "Delete a conversation",
      description: "Extension.",
      params: CONVERSATION,
      successes: success(204, "deleted"),
      async handle(ctx, { params: { id = "" } }) {
        if (!isId(id) || !(await deleteConversation(ctx.db, ownerOf(ctx), id))) throw noSuchConversation();
      },
    }),
    route({
      ...FOR_PERSON,
      method: "post",
      path: "/api/conversations/{id}/messages",
      operationId: "sendMessage",
      summary: "Write to the assistant, and follow its answer",
      description:
        `Extension. ${TURN} Nothing is changed by it: what would change something comes as a card. \`app\` and \`deploy\` name the page that ` +
        "the person looks at. The value in `KEY=value` reaches no model, and lies sealed.",
      params: CONVERSATION,
      body: z
        .strictObject({
          text: z.string().min(1).max(TEXT_LENGTH_MAX).openapi({ example: "deploy hello from main" }),
          app: appName.optional().openapi({ description: "name of an app", example: "hello" }),
          deploy: z.string().refine(isId, "it must be the id of a deploy.").optional().openapi({ format: "uuid" }),
        })
        .openapi("SendMessage"),
      successes: { status: 200, description: "the events", contentType: "text/event-stream" },
      errors: ["turn_in_progress", "conversation_full", "chat_limit", "too_many_streams"],
      async handle(ctx, { params: { id = "" }, body: { text: written, app, deploy }, headers }) {
        await findConversation(ctx, id);
        const { messageId, text } = await beginTurn(ctx, id, written);
        const request = { ctx, parts, headers, conversationId: id, messageId, page: { app, deploy } };
        const stream = turnStream(parts.closing, (emit, signal) => answerText(request, text, emit, signal));
        return new Response(stream, { headers: EVENT_STREAM_HEADERS });
      },
    }),
    route({
      ...FOR_PERSON,
      method: "post",
      path: "/api/conversations/{id}/cards/{card}",
      operationId: "decideCard",
      summary: "Do what a card says, or leave it",
      description: `Extension. ${TURN} A card is decided once, by its person, within 15 minutes. Its actions are requests of this API, as the caller.`,
      params: { ...CONVERSATION, card: "id of the card" },
      body: z
        .strictObject({
          decision: z.enum(["do", "leave"]),
          signature: z.string().max(200).openapi({ description: "The card's own." }),
        })
        .openapi("DecideCard"),
      successes: { status: 200, description: "the events", contentType: "text/event-stream" },
      errors: ["card_invalid", "card_closed", "turn_in_progress", "too_many_streams"],
      async handle(ctx, { params: { id = "", card: cardId = "" }, body, headers }) {
        await findConversation(ctx, id);
        return followCard(parts, ctx, headers, { conversationId: id, cardId, ...body });
      },
    }),
  ];
}

/** Somebody who reads too fast, for one, goes on typing without completions. */
function noneWhenRefused(error: unknown): undefined {
  if (!(error instanceof ToolRefusal)) throw error;
}

async function followCard(
  parts: ChatParts,
  ctx: OperationContext,
  headers: Headers,
  decision: Parameters<typeof decideCard>[2],
): Promise<Response> {
  const keys = await openCardKeys(ctx.db, ctx.keyRing);
  const { card, messageId } = await decideCard(ctx, keys, decision);
  const { conversationId } = decision;
  const stream = turnStream(parts.closing, async (emit, signal) => {
    if (messageId !== undefined) {
      const request = { ctx, parts, headers, conversationId, messageId, page: {} };
      return carryOutCard(request, keys, card, emit, signal);
    }
    const left = { ...card.row, state: "left" as const };
    emit("card", cardView(keys, ownerOf(ctx), left, ctx.clock.now()));
  });
  return new Response(stream, { headers: EVENT_STREAM_HEADERS });
}
