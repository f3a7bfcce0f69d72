import { SvcError } from "@svc/shared/errors.ts";
import type { Db } from "../../platform/database/database.ts";
import { hasMembers } from "../servers.store.ts";
import { Authority, type AuthorityOptions } from "./authority.ts";

/**
 * Opens the authority of a data directory. It is made only for an empty fleet: the servers of another would never trust
 * it, and its files would stand in the way of the right ones.
 * @throws SvcError internal when the directory has none, or when its files do not belong together
 */
export async function openAuthority(db: Db, dataDirectory: string, options?: AuthorityOptions): Promise<Authority> {
  if (!(await Authority.exists(dataDirectory)) && (await hasMembers(db))) {
    throw new SvcError(
      "internal",
      `The data directory ${dataDirectory} has no fleet authority, but the fleet has servers that trust one. Set ` +
        "SVC_DATA_DIR to the control plane's data directory, or copy the folder fleet/ from there or from its backup. " +
        "When it is lost, remove every server with `npm run admin -- server remove`; then the agents can join again.",
    );
  }
  return Authority.open(dataDirectory, options);
}
