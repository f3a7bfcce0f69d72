import { join } from "node:path";
import type { Clock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { hostedRepositoryUrl, parseHostedRepositoryUrl } from "../hosted-repository.ts";
import type { Db } from "../../platform/database/database.ts";
import { readRepository, type RepositoryRow } from "../repositories.store.ts";
import type { KeyRing } from "../../ports.ts";
import { DiskRoom } from "./disk-room.ts";
import { openReadTokens, type ReadTokens } from "./read-token.ts";
import { RepositoryFolders } from "./repository-folders.ts";

/** The platform's own git host: private bare repositories in the data directory. */
export interface Hosting {
  /** {base_url}, without a slash at the end. */
  baseUrl: string;
  folders: RepositoryFolders;
  disk: DiskRoom;
  tokens: ReadTokens;
}

export interface HostingSettings {
  db: Db;
  keyRing: KeyRing;
  clock: Clock;
  baseUrl: string;
  dataDirectory: string;
}

/** @throws SvcError when the data directory can't be written to */
export async function openHosting(settings: HostingSettings): Promise<Hosting> {
  const { db, keyRing, clock, baseUrl, dataDirectory } = settings;
  const folders = new RepositoryFolders(join(dataDirectory, "repositories"));
  await folders.ensureRoot().catch((cause: Error) => {
    throw new SvcError("internal", `The folder of the repositories can't be made: ${cause.message}.`, { cause });
  });
  const tokens = await openReadTokens(db, keyRing, clock);
  return { baseUrl, folders, disk: new DiskRoom(folders.root), tokens };
}

/** The clone URL of the repository. */
export function repositoryUrl({ baseUrl }: Hosting, repository: { ownerId: string; name: string }): string {
  return hostedRepositoryUrl(baseUrl, repository);
}

/** The repository of ours that the URL names, provided that it is this owner's. */
export async function findHostedRepository(
  host: Hosting,
  db: Db,
  ownerId: string,
  url: string,
): Promise<RepositoryRow | undefined> {
  const named = parseHostedRepositoryUrl(host.baseUrl, url);
  return named?.ownerId === ownerId ? readRepository(db, ownerId, named.name) : undefined;
}
