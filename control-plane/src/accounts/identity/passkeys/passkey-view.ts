import type { PasskeyRow } from "./passkeys.store.ts";

/** A passkey as it is shown to its person, without its key. */
export function passkeyView({ id, name, transports, isBackedUp, createdAt, lastUsedAt }: PasskeyRow) {
  return {
    id,
    name,
    transports,
    backed_up: isBackedUp,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  };
}
