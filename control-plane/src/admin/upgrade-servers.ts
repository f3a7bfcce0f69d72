import { systemClock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { isBundleVersion } from "@svc/shared/rules/fleet-identity.ts";
import { openAgentBundle } from "../fleet/bundle/agent-bundle.ts";
import { requireServer } from "../fleet/require-server.ts";
import { listServers, type ServerRow } from "../fleet/servers.store.ts";
import { readUpgrade } from "../fleet/upgrades/upgrades.store.ts";
import { upgradeServer } from "../fleet/upgrades/upgrade-server.ts";
import { byCommand } from "../platform/audit.store.ts";
import type { Db } from "../platform/database/database.ts";

const LOOK_MS = 500;
/** A control plane with the agent's link begins within a second. */
const BEGIN_MS_MAX = 60_000;
/** Longer than a control plane lets an upgrade take (fleet/upgrades/upgrades.ts). */
const END_MS_MAX = 40 * 60_000;

export interface Upgraded {
  server: string;
  /** Why it was left as it is; undefined for a server whose agent was upgraded. */
  left?: string;
}

/**
 * Gives one server after the other this installation's agent, and stops at the first that is not ready again; the one that goes on then comes
 * to its end without the command.
 * @param names of servers; none: all members
 * @param tell given a line for each server, as it begins and ends
 * @throws SvcError not_found; agent_away; internal with the reason for which it has stopped
 */
export async function upgradeServers(
  db: Db,
  names: readonly string[],
  tell: (line: string) => void,
  openBundle = openAgentBundle,
): Promise<Upgraded[]> {
  const { version } = await openBundle(process.arch);
  const servers =
    names.length > 0 ? await Promise.all(names.map((name) => requireServer(db, name))) : await members(db);
  const upgraded: Upgraded[] = [];
  for (const server of servers) {
    const left = reasonToLeave(server, version);
    tell(
      left === undefined ? `${server.name}: from ${server.agent_version} to ${version} …` : `${server.name}: ${left}`,
    );
    if (left === undefined) await upgradeOne(db, server, version, upgraded);
    upgraded.push({ server: server.name, ...(left !== undefined && { left }) });
    if (left === undefined) tell(`${server.name}: ready`);
  }
  return upgraded;
}

async function members(db: Db): Promise<ServerRow[]> {
  return (await listServers(db)).filter(({ state }) => state === "active" || state === "draining");
}

function reasonToLeave({ state, agent_version: current }: ServerRow, version: string): string | undefined {
  if (state === "joining") return "has not joined yet";
  if (current === version) return `runs ${version} already`;
  if (current !== null && !isBundleVersion(current)) {
    return `runs ${current} from the sources; update its folder and restart the agent`;
  }
  return undefined;
}

async function upgradeOne(
  db: Db,
  { id, name }: ServerRow,
  version: string,
  before: readonly Upgraded[],
): Promise<void> {
  await upgradeServer(db, name, byCommand);
  for (const asked = Date.now(); ;) {
    const upgrade = await readUpgrade(db, id);
    if (upgrade?.state === "done" && upgrade.version === version) return;
    if (upgrade?.state === "done") throw otherBuild(name, upgrade.version, version);
    if (upgrade?.state === "failed") {
      const done = before.filter(({ left }) => left === undefined).length;
      throw new SvcError(
        "internal",
        `${name} is not ready, and no other was begun after ${done} upgraded: ${upgrade.reason}`,
      );
    }
    if (upgrade?.version === null && Date.now() - asked > BEGIN_MS_MAX) {
      throw new SvcError(
        "internal",
        `No control plane has begun to upgrade ${name} within a minute: start one, and it does so.`,
      );
    }
    if (Date.now() - asked > END_MS_MAX) {
      throw new SvcError(
        "internal",
        `No control plane tells how the upgrade of ${name} is: look at \`server list\` once one runs.`,
      );
    }
    await systemClock.sleep(LOOK_MS);
  }
}

function otherBuild(name: string, given: string | null, version: string): SvcError {
  return new SvcError(
    "internal",
    `${name} was given ${given}, and this installation has ${version}: the control plane was not restarted since it was built. ` +
      "Restart it, and repeat the command.",
  );
}
