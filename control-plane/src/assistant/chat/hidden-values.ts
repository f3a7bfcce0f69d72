import type { Db } from "../../platform/database/database.ts";
import { sealContext, type KeyRing } from "../../ports.ts";
import { readHiddenValues } from "./messages.store.ts";

/** @param first the number of the first value's placeholder */
export function sealHiddenValues(
  keyRing: KeyRing,
  messageId: string,
  first: number,
  values: readonly string[],
): Buffer {
  const numbered = values.map((value, index) => [first + index, value]);
  return keyRing.seal(JSON.stringify(numbered), sealContext.conversationValues(messageId));
}

/** The values of the whole conversation, by the numbers of their placeholders. */
export async function openHiddenValues(db: Db, keyRing: KeyRing, conversationId: string): Promise<Map<number, string>> {
  const rows = await readHiddenValues(db, conversationId);
  return new Map(
    rows.flatMap(
      ({ id, sealed }) => JSON.parse(keyRing.open(sealed, sealContext.conversationValues(id))) as [number, string][],
    ),
  );
}
