import { SvcError } from "@svc/shared/errors.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { inTransaction } from "../../../platform/database/database.ts";
import { audit, type OperationContext } from "../../../platform/operation.ts";
import { beginAnswer } from "../begin-turn.ts";
import { ownerOf } from "../chat-parts.ts";
import { lockConversation, lockPerson, touchConversation } from "../conversations.store.ts";
import { noSuchConversation } from "../find-conversation.ts";
import { isSignatureOf, stateOf } from "./card.ts";
import { openCard, type CardKeys, type OpenedCard } from "./card-view.ts";
import { decideCardOnce, readCard } from "./cards.store.ts";

export interface Decision {
  conversationId: string;
  cardId: string;
  decision: "do" | "leave";
  signature: string;
}

export interface DecidedCard {
  card: OpenedCard;
  /** The answer that goes on with what comes of it; absent when the card was left. */
  messageId?: string;
}

/**
 * Takes the person's decision on a card: of several at once, one. What it says is done by `runCard`.
 * @throws SvcError not_found, card_invalid, card_closed, turn_in_progress
 */
export async function decideCard(ctx: OperationContext, keys: CardKeys, asked: Decision): Promise<DecidedCard> {
  const { conversationId, cardId, decision } = asked;
  const owner = ownerOf(ctx);
  const row = isId(cardId) ? await readCard(ctx.db, owner, conversationId, cardId) : undefined;
  if (!row) throw new SvcError("not_found", "This conversation has no card with that id.");
  const card = openCard(ctx.keyRing, owner, row);
  if (!isSignatureOf(keys.signing, card, asked.signature)) {
    throw new SvcError("card_invalid", "The signature is not this card's. Nothing was done: load the page again.");
  }
  const state = stateOf(row, ctx.clock.now());
  if (state !== "proposed") throw closed(state);
  return inTransaction(ctx.db, async (tx) => {
    // Answers to the person are counted one at a time, also those to cards of other conversations.
    await lockPerson(tx, owner.userId);
    if (!(await lockConversation(tx, owner, conversationId))) throw noSuchConversation();
    const messageId =
      decision === "do" ? await beginAnswer(tx, owner.userId, conversationId, async () => undefined) : undefined;
    const isDecided = await decideCardOnce(tx, cardId, decision === "do" ? "running" : "left", ctx.clock.now());
    if (!isDecided) throw closed("decided");
    await touchConversation(tx, conversationId, "");
    const detail = { sentence: card.proposal.sentence };
    await audit({ ...ctx, via: "chat" }, tx, { action: `card.${decision}`, target: `card:${cardId}`, detail });
    return { card, ...(messageId !== undefined && { messageId }) };
  });
}

function closed(state: string): SvcError {
  return new SvcError(
    "card_closed",
    `This card is ${state}: it can't be decided any more. Ask again for what you want.`,
  );
}
