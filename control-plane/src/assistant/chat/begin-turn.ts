import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { inTransaction, type Db } from "../../platform/database/database.ts";
import { storableText } from "../../platform/storable-text.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { MESSAGES_A_DAY_MAX, readUseLeft, takeMessage } from "./chat-use.store.ts";
import { ownerOf } from "./chat-parts.ts";
import { lockConversation, lockPerson, touchConversation } from "./conversations.store.ts";
import { noSuchConversation } from "./find-conversation.ts";
import { hideValues } from "./hide-values.ts";
import { openHiddenValues, sealHiddenValues } from "./hidden-values.ts";
import { countOpenAnswers, insertAnswer, insertPersonsMessage, readFullness } from "./messages.store.ts";

/** A page shows all of a conversation's messages at once. */
const MESSAGES_MAX = 200;
/** Each answer takes time of a model's server, and requests of ours. */
const OPEN_ANSWERS_MAX = 5;
const TITLE_LENGTH_MAX = 80;
const RETRY_AFTER_SECONDS = 5;

export interface BegunTurn {
  /** The answer's id. */
  messageId: string;
  /** The person's text, with placeholders for values. */
  text: string;
}

/**
 * Keeps what the person wrote, and begins an answer to it: of several at once, one.
 * @throws SvcError not_found, turn_in_progress, conversation_full, chat_limit, too_many_streams
 */
export async function beginTurn(ctx: OperationContext, conversationId: string, written: string): Promise<BegunTurn> {
  const owner = ownerOf(ctx);
  return inTransaction(ctx.db, async (tx) => {
    // Another answer to the person waits here, so that the counts below are exact.
    await lockPerson(tx, owner.userId);
    if (!(await takeMessage(tx, owner.userId))) throw await dayIsOver(ctx, tx);
    if (!(await lockConversation(tx, owner, conversationId))) throw noSuchConversation();
    const values = await openHiddenValues(tx, ctx.keyRing, conversationId);
    const hidden = hideValues(storableText(written), values.size + 1, values);
    const id = newId();
    const messageId = await beginAnswer(tx, owner.userId, conversationId, async (messages) => {
      if (messages >= MESSAGES_MAX) throw conversationIsFull();
      const sealed =
        hidden.values.length === 0 ? null : sealHiddenValues(ctx.keyRing, id, values.size + 1, hidden.values);
      const parts = [{ type: "text" as const, text: hidden.text }];
      await insertPersonsMessage(tx, { id, conversationId, parts, hiddenValues: sealed });
    });
    await touchConversation(tx, conversationId, titleOf(hidden.text));
    return { messageId, text: hidden.text };
  });
}

/**
 * Begins an answer in a conversation that is locked.
 * @param before adds what stands before it, when it may begin
 * @throws SvcError turn_in_progress, too_many_streams
 */
export async function beginAnswer(
  tx: Db,
  userId: string,
  conversationId: string,
  before: (messages: number) => Promise<void>,
): Promise<string> {
  const { messages, isOpen } = await readFullness(tx, conversationId);
  if (isOpen) throw new SvcError("turn_in_progress", "An answer is being written: wait for its end.");
  if ((await countOpenAnswers(tx, userId)) >= OPEN_ANSWERS_MAX) {
    throw new SvcError(
      "too_many_streams",
      `${OPEN_ANSWERS_MAX} answers to you are being written: wait for the end of one, then try again.`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }
  await before(messages);
  const messageId = newId();
  await insertAnswer(tx, messageId, conversationId);
  return messageId;
}

function conversationIsFull(): SvcError {
  return new SvcError(
    "conversation_full",
    `A conversation has ${MESSAGES_MAX} messages at most, and this one is full: begin another one.`,
  );
}

async function dayIsOver({ actor, clock }: OperationContext, tx: Db): Promise<SvcError> {
  const { resetsAt } = await readUseLeft(tx, actor.userId);
  const seconds = Math.max(1, Math.ceil((resetsAt.getTime() - clock.now().getTime()) / 1000));
  return new SvcError(
    "chat_limit",
    `You have written ${MESSAGES_A_DAY_MAX} messages today, which is the most. Go on after ${resetsAt.toISOString()}; ` +
      "everything can be done without the chat as well.",
    { retryAfterSeconds: seconds },
  );
}

function titleOf(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > TITLE_LENGTH_MAX ? `${line.slice(0, TITLE_LENGTH_MAX).toWellFormed()}…` : line;
}
