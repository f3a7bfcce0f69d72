import type { Db } from "../platform/database/database.ts";
import { hostsToRoute } from "./custom-domain.ts";
import { listDomainRoutes } from "./domains.store.ts";

/** The hosts that lead to the app: its own name and its custom domains. */
export async function hostsOfApp(db: Db, app: { id: string; name: string }, appsDomain: string) {
  return hostsToRoute(`${app.name}.${appsDomain}`, await listDomainRoutes(db, app.id));
}
