import { sealContext, type KeyRing } from "../../../ports.ts";
import type { CardView } from "../chat-schemas.ts";
import type { Owner } from "../conversations.store.ts";
import { forPerson } from "../for-person.ts";
import { signCard, stateOf, type CardContent, type SignedCard } from "./card.ts";
import type { CardRow } from "./cards.store.ts";

/** Keys that open a card and sign it. */
export interface CardKeys {
  keyRing: KeyRing;
  /** Signs decisions. */
  signing: Buffer;
}

export interface OpenedCard extends SignedCard {
  row: CardRow;
  proposal: CardContent;
}

/** @throws SvcError internal when somebody has changed the row */
export function openCard(keyRing: KeyRing, owner: Owner, row: CardRow): OpenedCard {
  const content = keyRing.open(row.content, sealContext.card(row.id));
  const { id, conversationId, expiresAt } = row;
  return { id, conversationId, expiresAt, ...owner, content, row, proposal: JSON.parse(content) as CardContent };
}

export function cardView({ keyRing, signing }: CardKeys, owner: Owner, row: CardRow, now: Date): CardView {
  const card = openCard(keyRing, owner, row);
  const { sentence, requests, destroys } = card.proposal;
  const state = stateOf(row, now);
  const result = row.results.map(forPerson).join("\n");
  return {
    id: row.id,
    state,
    sentence,
    requests: requests as CardView["requests"],
    destroys,
    expires_at: row.expiresAt.toISOString(),
    ...(state === "proposed" && { signature: signCard(signing, card) }),
    ...(result !== "" && { result }),
  };
}
