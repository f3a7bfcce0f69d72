import {
  DEFAULT_POOL,
  isPool,
  isServerLabel,
  POOL_RULE,
  SERVER_LABEL_RULE,
  usablePools,
} from "@svc/shared/rules/servers/server-pool.ts";
import type { Db } from "../platform/database/database.ts";
import { invalid, quoted } from "../platform/invalid.ts";
import { isServerName } from "./server.ts";
import { findServer, hasLabel, lockServer } from "./servers.store.ts";

/** A place that somebody asks for: a server, or any of a pool that has a label. */
export interface PlaceAsked {
  server?: string | undefined;
  pool?: string | undefined;
  label?: string | undefined;
}

/** A place as it is kept with an app. */
export interface Place {
  serverId: string | null;
  /** Null for `default`. */
  pool: string | null;
  /** Null for any server of the pool. */
  label: string | null;
}

/**
 * Returns the place that was asked for. Its server stays as it is until the transaction ends. A server or pool that is not there is
 * refused in the same words as one that the team does not have (decision 037).
 * @param given the pools that an operator has given the team: it may name their servers
 * @throws SvcError invalid_request
 */
export async function requirePlace(
  tx: Db,
  { server, pool, label }: PlaceAsked,
  given: readonly string[],
): Promise<Place> {
  if (server !== undefined) {
    if (pool !== undefined || label !== undefined) throw invalid("Give server, or pool and label, not both.");
    return { serverId: await requireNamed(tx, server, given), pool: null, label: null };
  }
  if (pool !== undefined) requirePool(pool, usablePools(given));
  if (label !== undefined) await requireLabel(tx, pool ?? DEFAULT_POOL, label);
  return { serverId: null, pool: pool === DEFAULT_POOL ? null : (pool ?? null), label: label ?? null };
}

async function requireNamed(tx: Db, name: string, given: readonly string[]): Promise<string> {
  const server = isServerName(name) ? await findServer(tx, name) : undefined;
  if (!server || !given.includes(server.pool)) {
    throw invalid(
      `Your team may choose no server ${quoted(name)}: leave it out, and the service chooses one. An operator can give the ` +
        "team the pool of a server.",
    );
  }
  const { state } = await lockServer(tx, server.id);
  if (state === "active") return server.id;
  throw invalid(`The server ${name} takes no new apps at this moment: leave it out, or ask an operator to undrain it.`);
}

function requirePool(pool: string, pools: readonly string[]): void {
  if (!isPool(pool)) throw invalid(`The pool ${quoted(pool)} can't be: its name has ${POOL_RULE}.`);
  if (pools.includes(pool)) return;
  throw invalid(
    `Your team has no pool ${quoted(pool)}: it may use ${pools.join(", ")}. An operator can give it another.`,
  );
}

async function requireLabel(tx: Db, pool: string, label: string): Promise<void> {
  if (!isServerLabel(label)) throw invalid(`The label ${quoted(label)} can't be: it has ${SERVER_LABEL_RULE}.`);
  if (await hasLabel(tx, pool, label)) return;
  throw invalid(`No server of the pool ${pool} has the label ${quoted(label)}.`);
}
