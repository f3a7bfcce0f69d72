import { SvcError } from "@svc/shared/errors.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { ownerOf } from "./chat-parts.ts";
import { readConversation, type ConversationRow } from "./conversations.store.ts";

/** @throws SvcError not_found, also for another person's, and for one of another team */
export async function findConversation(ctx: OperationContext, id: string): Promise<ConversationRow> {
  const row = isId(id) ? await readConversation(ctx.db, ownerOf(ctx), id) : undefined;
  if (!row) throw noSuchConversation();
  return row;
}

export function noSuchConversation(): SvcError {
  return new SvcError("not_found", "You have no conversation with that id.");
}
