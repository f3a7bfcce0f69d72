import type { Identity } from "../identity.ts";
import type { Session } from "../sessions/session.ts";
import { readConnections } from "./connections.store.ts";
import type { Oidc } from "./oidc.ts";

/** Lists the providers that are connected to the caller's account, and those that may be. */
export async function listConnections({ db, oidc }: Identity, { userId }: Session) {
  const connections = await readConnections(db, userId);
  return {
    providers: oidc.providers.map(({ id, name }) => ({ id, name })),
    connections: connections.map(({ id, issuer, createdAt }) => ({
      id,
      provider: oidc.providers.find((each) => each.issuer === issuer)?.id ?? null,
      name: providerName(oidc, issuer),
      created_at: createdAt.toISOString(),
    })),
  };
}

/** The operator may have taken the provider away: then it is known by its host. */
export function providerName({ providers }: Oidc, issuer: string): string {
  return providers.find((each) => each.issuer === issuer)?.name ?? new URL(issuer).host;
}
