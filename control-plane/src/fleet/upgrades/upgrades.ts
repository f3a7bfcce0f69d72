import type { MessageInitShape } from "@bufbuild/protobuf";
import type { UpgradeAgentRequestSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { startRepeating } from "@svc/shared/platform/repeat.ts";
import type { AgentClient, AgentLinks, Notifications } from "../../ports.ts";
import type { Db } from "../../platform/database/database.ts";
import { fromAgentError } from "../agent-errors.ts";
import { openAgentBundle, type AgentBundle } from "../bundle/agent-bundle.ts";
import { parseStatus } from "../parse-status.ts";
import { endUpgrade, noteTaken, noteVersion, readRunningUpgrades, type RunningUpgrade } from "./upgrades.store.ts";

interface Parts {
  db: Db;
  links: AgentLinks;
  notifications: Notifications;
  clock: Clock;
  log: Logger;
  openBundle?: typeof openAgentBundle;
}

/** While one goes on: a link that comes back is not told to this loop. */
const LOOK_MS = 1_000;
/** While none goes on; whoever begins one wakes. */
const REST_MS = 60_000;
/** 130 MB over a slow line. */
const TRANSFER_MS_MAX = 30 * 60_000;
/** A link comes back within seconds; a host that was started anew needs minutes. */
const AWAY_MS_MAX = 5 * 60_000;
/** A new version is tried for three minutes at most before the one before it comes back, which takes some seconds to be linked. */
const PROOF_MS_MAX = 240_000;
/** A little more than the time for which the agent itself is on trial once it is linked (agent/src/link/trial.ts). */
const PROVEN_SECONDS = 12;
/** A message is at most 2 MiB. */
const CHUNK_BYTES = 512 * 1024;

/** Gives agents their new versions, wherever this process has the link. Any number of processes may do so at once. */
export function startUpgrades(parts: Parts) {
  const { db, clock, log, notifications } = parts;
  /** Servers whose agents are being sent the bundle. */
  const sending = new Set<string>();
  return startRepeating("upgrades", {
    everyMs: LOOK_MS,
    failing: "an agent's upgrade can't go on",
    async work(signal) {
      const running = await readRunningUpgrades(db);
      for (const upgrade of running) {
        if (!sending.has(upgrade.serverId)) await goOn(parts, upgrade, sending, signal);
      }
      return running.length === 0 ? REST_MS : LOOK_MS;
    },
    wakeOn: (wake) => notifications.subscribe("servers", wake),
    clock,
    log,
  });
}

async function goOn(parts: Parts, upgrade: RunningUpgrade, sending: Set<string>, signal: AbortSignal): Promise<void> {
  const { db, links, log } = parts;
  const { serverId } = upgrade;
  if (upgrade.isRemoved) return endUpgrade(db, serverId, "The server was removed from the fleet.");
  if (upgrade.version !== null && upgrade.agentVersion === upgrade.version && isReady(upgrade)) {
    return endUpgrade(db, serverId, undefined);
  }
  if (upgrade.ageMs > (upgrade.isTaken ? PROOF_MS_MAX : TRANSFER_MS_MAX)) {
    return endUpgrade(db, serverId, lateReason(upgrade));
  }
  const agent = links.agent(serverId);
  if (!upgrade.isTaken && !upgrade.isLinked && upgrade.ageMs > AWAY_MS_MAX) {
    return endUpgrade(
      db,
      serverId,
      "The agent's link broke before it had taken the new version, and has not come back.",
    );
  }
  if (upgrade.isTaken || !agent) return;
  sending.add(serverId);
  send(parts, serverId, agent, signal)
    .catch((error: unknown) => {
      const known = fromAgentError(error);
      // Another process has a link to it, too, and sends; or the link broke, and it is sent again over the next one.
      if (signal.aborted || known.code === "deploy_in_progress" || known.code === "agent_away") return;
      log.warn({ err: error, serverId }, "an agent did not take its upgrade");
      return endUpgrade(db, serverId, known.message);
    })
    .catch((error: unknown) => log.error({ err: error, serverId }, "an upgrade could not be recorded"))
    .finally(() => sending.delete(serverId));
}

async function send(
  { db, openBundle = openAgentBundle }: Parts,
  serverId: string,
  agent: AgentClient,
  signal: AbortSignal,
): Promise<void> {
  // Whether the host has the same processor, its agent knows.
  const bundle = await openBundle(process.arch);
  await noteVersion(db, serverId, bundle.version);
  const ended = AbortSignal.any([signal, AbortSignal.timeout(TRANSFER_MS_MAX)]);
  await agent.upgradeAgent(requestsOf(bundle), { signal: ended });
  await noteTaken(db, serverId);
}

async function* requestsOf(bundle: AgentBundle): AsyncGenerator<MessageInitShape<typeof UpgradeAgentRequestSchema>> {
  const { version, sha256 } = bundle;
  yield { part: { case: "header", value: { version, sha256, architecture: process.arch } } };
  for await (const bytes of bundle.stream()) {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      yield { part: { case: "chunk", value: bytes.subarray(at, at + CHUNK_BYTES) } };
    }
  }
}

/** An agent that can't reach its engine or its proxy serves nothing new; one that has just started may end again. */
function isReady({ status }: RunningUpgrade): boolean {
  if (status === null) return false;
  const { engine, proxy, uptimeSeconds } = parseStatus(status);
  return engine?.reachable === true && proxy?.reachable === true && uptimeSeconds >= PROVEN_SECONDS;
}

function lateReason({ isTaken, hasTold, version, agentVersion, status }: RunningUpgrade): string {
  if (!isTaken) return "The agent has not taken the new version within 30 minutes.";
  if (!hasTold) return `The agent took ${version}, and was not heard of since. Its log on the host says why.`;
  if (agentVersion !== version) {
    return `The new version ${version} was not linked, or did not stay, and the agent runs ${agentVersion ?? "an unknown version"} again. Its log on the host says why.`;
  }
  const { engine, proxy } = status === null ? {} : parseStatus(status);
  if (engine?.reachable !== true)
    return `The agent runs ${version}, and does not reach its engine. Its log on the host says why.`;
  if (proxy?.reachable !== true)
    return `The agent runs ${version}, and does not reach its proxy. Its log on the host says why.`;
  return `The agent's new version ${version} ends and is started again. Its log on the host says why.`;
}
