import { sql } from "kysely";
import { hasRoutes } from "../domains.store.ts";
import type { Db } from "../../platform/database/database.ts";

/** A host name that leads to an app. */
export interface HostRow {
  host: string;
  app: string;
  server: string;
  /** host[:port], as an operator has set it. */
  address: string | null;
  /** Where the server's agent was at its last link. */
  linkedFrom: string | null;
}

/**
 * Reads the host names that lead to apps, of all owners, in the order of their bytes.
 * @param page.after the last host of the page before
 */
export async function readHosts(
  db: Db,
  { appsDomain, after, limit }: { appsDomain: string; after: string; limit: number },
): Promise<HostRow[]> {
  const { rows } = await sql<HostRow>`
    select h.host, a.name as app, s.name as server, s.address, s.linked_from as "linkedFrom"
    from (
      select id as app_id, name || ${`.${appsDomain}`} as host from apps
      union all
      select app_id, domain as host from domains
    ) h
    join apps a on a.id = h.app_id
    join servers s on s.id = a.server_id
    where h.host collate "C" > ${after} and ${hasRoutes("a")}
    order by h.host collate "C"
    limit ${limit}
  `.execute(db);
  return rows;
}
