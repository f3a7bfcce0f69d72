import type { ApiKeyRow } from "./api-keys.store.ts";

/** A key as it is shown to people, without its hash. */
export function keyView(row: ApiKeyRow) {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    team_id: row.team_id,
    scopes: row.scopes,
    apps: row.apps,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  };
}
