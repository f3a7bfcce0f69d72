import { cpusText, memoryText } from "@svc/shared/spec/caps.ts";
import { readTeamTier } from "./teams/teams.store.ts";
import { tierOf, type Tier, type Tiers } from "./tier.ts";
import type { OperationContext } from "../platform/operation.ts";

/** The limits of the tier of the caller's team, written as in the tiers file and in spec files. */
export interface TierLimits {
  name: string;
  /** Apps at most, soft-stopped ones included. */
  apps: number;
  /** The memory of each app's container: "512m". */
  memory: string;
  cpus: string;
}

export async function readTier(ctx: OperationContext): Promise<TierLimits> {
  return tierLimits(ctx.platform.tiers, await readTeamTier(ctx.db, ctx.actor.teamId));
}

/** The limits of that tier, as numbers. */
export async function readOwnTier(ctx: OperationContext): Promise<Tier> {
  return tierOf(ctx.platform.tiers, await readTeamTier(ctx.db, ctx.actor.teamId));
}

/** The limits of the tier of that name. */
export function tierLimits(tiers: Tiers, name: string): TierLimits {
  const { apps, memoryBytes, cpuMillis } = tierOf(tiers, name);
  return { name, apps, memory: memoryText(memoryBytes), cpus: cpusText(cpuMillis) };
}
