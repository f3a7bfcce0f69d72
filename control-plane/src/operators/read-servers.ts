import { isId } from "@svc/shared/rules/ids.ts";
import { parseStatus } from "../fleet/parse-status.ts";
import { requireServer } from "../fleet/require-server.ts";
import type { Db } from "../platform/database/database.ts";
import {
  countUnplaced,
  readAppNames,
  readAppsOn,
  readOpenDeploys,
  readServerOverviews,
  type OpenDeployRow,
  type ServerOverviewRow,
} from "./servers.store.ts";

/** More of a list than anybody reads on a page; its length is told apart. */
const LIST_LENGTH_MAX = 200;

/** A server, and the name of the app whose deploy holds its lock. */
export type ServerOverview = ServerOverviewRow & { lockedBy: string | undefined };

/** Reads the whole fleet with its figures, and what waits for no server in particular. */
export async function readServers(db: Db) {
  const servers = await readServerOverviews(db);
  return { servers: await withLockHolders(db, servers), unplaced: await countUnplaced(db) };
}

export interface ServerDetails {
  server: ServerOverview;
  /** The deploys that run, then those that wait, in their order; 200 at most. */
  deploys: OpenDeployRow[];
  apps: Awaited<ReturnType<typeof readAppsOn>>;
}

/** Reads one server with its queue and its apps, by name. @throws SvcError not_found */
export async function readServer(db: Db, name: string): Promise<ServerDetails> {
  const { id } = await requireServer(db, name);
  const [server] = await withLockHolders(db, await readServerOverviews(db, name));
  // It was removed since.
  if (!server) return readServer(db, name);
  const [deploys, apps] = await Promise.all([
    readOpenDeploys(db, id, LIST_LENGTH_MAX),
    readAppsOn(db, id, LIST_LENGTH_MAX),
  ]);
  return { server, deploys, apps };
}

async function withLockHolders(db: Db, servers: readonly ServerOverviewRow[]): Promise<ServerOverview[]> {
  const holders = servers.map(({ figures }) => lockHolderOf(figures));
  const names = await readAppNames(
    db,
    holders.filter((holder) => holder !== undefined),
  );
  return servers.map((server, i) => ({ ...server, lockedBy: names.get(holders[i] ?? "") }));
}

/** The deploy that holds the host's lock, as its agent says. */
function lockHolderOf(figures: Record<string, unknown>): string | undefined {
  const id = parseStatus(figures).lock?.holder?.deployId;
  return id !== undefined && isId(id) ? id : undefined;
}
