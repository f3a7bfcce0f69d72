import { SvcError } from "@svc/shared/errors.ts";
import type { Db } from "../platform/database/database.ts";
import { findServer, type ServerRow } from "./servers.store.ts";

/** @throws SvcError not_found when no server of that name is in the fleet */
export async function requireServer(db: Db, name: string): Promise<ServerRow> {
  const server = await findServer(db, name);
  if (server) return server;
  throw new SvcError(
    "not_found",
    `No server is called ${JSON.stringify(name)}; \`server list\` shows those there are.`,
  );
}
