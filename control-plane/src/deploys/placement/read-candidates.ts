import { DATABASE_MEMORY_BYTES } from "@svc/shared/spec/service-databases.ts";
import type { Db } from "../../platform/database/database.ts";
import type { AgentLinks } from "../../ports.ts";
import type { PipelinePolicy } from "../inputs/pipeline-policy.ts";
import type { Candidate, Wanted } from "./placement.ts";
import { readCandidateRows, readComing, readWishes, type WishRow } from "./placement.store.ts";

/** The parts of a process by which servers are chosen. */
export interface PlacementParts {
  links: Pick<AgentLinks, "agent">;
  policy: Pick<PipelinePolicy, "limitsOf">;
}

/** Reads the servers that take new apps. */
export async function readCandidates({ links, policy }: PlacementParts, db: Db): Promise<Candidate[]> {
  const comingBytes = new Map<string, number>();
  for (const { serverId, count, ...app } of await readComing(db)) {
    comingBytes.set(serverId, (comingBytes.get(serverId) ?? 0) + count * memoryOf(policy, app));
  }
  const rows = await readCandidateRows(db);
  return rows.map((row) => {
    // A link of this process's own may not be in the database yet.
    const linked = row.linked || links.agent(row.id) !== undefined;
    return Object.assign(row, { linked, comingBytes: comingBytes.get(row.id) ?? 0 });
  });
}

/** Reads the servers that these apps ask for, in the order of their open deploys. */
export async function readWanted(
  { policy }: Pick<PlacementParts, "policy">,
  db: Db,
  appIds: readonly string[],
): Promise<(Wanted & { appId: string })[]> {
  const wishes = await readWishes(db, appIds);
  return wishes.map(({ appId, pool, hasPool, label, ...app }) => ({
    appId,
    // A pool that the team does not have is none.
    pools: hasPool ? [pool] : [],
    label,
    memoryBytes: memoryOf(policy, app),
  }));
}

/** The most that an app and its database may take: what its spec file asks for is not known before its build. */
function memoryOf(
  policy: PlacementParts["policy"],
  { tier, needsDatabase }: Pick<WishRow, "tier" | "needsDatabase">,
): number {
  return policy.limitsOf(tier).memoryBytes + (needsDatabase ? DATABASE_MEMORY_BYTES : 0);
}
