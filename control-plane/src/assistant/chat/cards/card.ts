import { createHmac, hash } from "node:crypto";
import { isSameSecret } from "../../../platform/is-same-secret.ts";
import type { ShownRequest } from "../../tool.ts";
import type { Call } from "../grammar/intents.ts";
import type { NamedApps } from "./named-apps.ts";

/** A person may think about it for so long. */
export const CARD_LIFE_MS = 15 * 60_000;
/** Some actions of a card wait for a server, none of them for longer. */
export const RUN_MS_MAX = 3 * 60_000;

/**
 * ```
 * proposed ─┬─ do ───> running ─┬─> done
 *           │                   ├─> failed
 *           │                   └─ its process has died ─> unknown (told, not stored)
 *           ├─ leave ─> left
 *           └─ 15 minutes ─> expired (told, not stored)
 * ```
 */
export type CardState = "proposed" | "running" | "done" | "failed" | "left" | "expired" | "unknown";

/** A proposal: the actions with their values, and what a person is shown of them. */
export interface CardContent {
  sentence: string;
  requests: ShownRequest[];
  destroys: boolean;
  actions: Call[];
  /** The apps that were meant: a name may be another one's when the person decides. */
  apps: NamedApps;
}

export interface StoredCard {
  id: string;
  conversationId: string;
  state: Exclude<CardState, "expired" | "unknown">;
  expiresAt: Date;
  /** The answer that began with the decision is still being written. */
  isBeingDone: boolean;
  /** The answers to the actions that were done, in order, and to the one that failed. */
  results: string[];
}

/** The state as it is told: time ends a proposal, and the death of its process what was decided. */
export function stateOf({ state, expiresAt, isBeingDone }: StoredCard, now: Date): CardState {
  if (state === "proposed") return now < expiresAt ? "proposed" : "expired";
  return state === "running" && !isBeingDone ? "unknown" : state;
}

export interface SignedCard {
  id: string;
  conversationId: string;
  userId: string;
  teamId: string;
  expiresAt: Date;
  /** The content's text. */
  content: string;
}

/** Binds a decision to this card, its actions, its person and its time: another one's is of no use. */
export function signCard(key: Buffer, card: SignedCard): string {
  const { id, conversationId, userId, teamId, expiresAt, content } = card;
  const bound = ["card", id, conversationId, userId, teamId, expiresAt.toISOString(), hash("sha256", content)];
  return createHmac("sha256", key).update(bound.join("\n")).digest("base64url");
}

export function isSignatureOf(key: Buffer, card: SignedCard, given: string): boolean {
  return isSameSecret(signCard(key, card), given);
}
