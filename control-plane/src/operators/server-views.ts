import { timestampDate } from "@bufbuild/protobuf/wkt";
import { stepNameOf } from "@svc/shared/rules/step-on-wire.ts";
import { waitsFor } from "../deploys/waiting/waits-for.ts";
import { parseStatus } from "../fleet/parse-status.ts";
import type { ServerDetails, ServerOverview } from "./read-servers.ts";
import type { OpenDeployRow } from "./servers.store.ts";

export function serverView(server: ServerOverview) {
  const { cpu, memory, disks, lock } = parseStatus(server.figures);
  const iso = (time: Date | null) => time?.toISOString() ?? null;
  return {
    name: server.name,
    state: server.state,
    pool: server.pool,
    labels: server.labels,
    address: server.address ?? server.linkedFrom,
    linked: server.linked,
    last_seen_at: iso(server.heardAt),
    agent_version: server.agentVersion,
    certificate_until: iso(server.certificateUntil),
    joined_at: iso(server.joinedAt),
    observed_at: iso(server.figuresAt),
    cpu: cpu ? { cores: cpu.cores, used_ratio: cpu.usedRatio, load_1m: cpu.load1m } : null,
    memory: memory
      ? {
          total_bytes: Number(memory.totalBytes),
          available_bytes: Number(memory.availableBytes),
          promised_bytes: Number(memory.promisedBytes),
          promisable_bytes: Number(memory.promisableBytes),
        }
      : null,
    disks: disks.map(({ purpose, totalBytes, availableBytes }) => ({
      purpose,
      total_bytes: Number(totalBytes),
      available_bytes: Number(availableBytes),
    })),
    lock: lock
      ? {
          app: server.lockedBy ?? null,
          step: stepNameOf(lock.step) ?? null,
          taken_at: lock.takenAt ? timestampDate(lock.takenAt).toISOString() : null,
        }
      : null,
    queue: { length: server.queueLength, oldest_since: iso(server.oldestWaitsSince) },
    apps: server.appCount,
  };
}

export function serverDetailsView({ server, deploys, apps }: ServerDetails) {
  return {
    server: serverView(server),
    deploys: deploys.map((deploy, i) => openDeployView(server, deploys, deploy, i)),
    apps,
  };
}

function openDeployView(
  { linked }: ServerOverview,
  all: readonly OpenDeployRow[],
  { app, kind, status, createdAt, startedAt }: OpenDeployRow,
  place: number,
) {
  // Deploys wait for one another; a rollback waits for nothing but the agent.
  const isBehind = kind === "deploy" && all.slice(0, place).some((other) => other.kind === "deploy");
  const reason = waitsFor({ isLinked: linked, isBehind });
  return {
    app,
    kind,
    status,
    since: (status === "running" ? (startedAt ?? createdAt) : createdAt).toISOString(),
    waits_for: status === "running" ? null : reason,
  };
}
