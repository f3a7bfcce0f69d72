import type { Identity } from "../identity.ts";
import { readPerson } from "../people.store.ts";
import type { Session } from "../session.ts";
import { readConnections } from "./connections.store.ts";
import type { Oidc } from "./oidc.ts";

/** Lists the caller's ways in beside a second factor: whether there is a password, and the providers that are connected. */
export async function listConnections({ db, oidc }: Identity, { userId }: Session) {
  const person = await readPerson(db, userId);
  const connections = await readConnections(db, userId);
  return {
    password: person !== undefined && person.passwordHash !== null,
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
