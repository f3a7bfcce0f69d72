import { create, toJson, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { Health, StatusSchema, Step, StopReason, UnhealthyReason } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { internalCaOf, statusText, type ObservedServer } from "./server-status-text.ts";

const now = new Date("2026-01-02T03:04:05Z");
const ago = (seconds: number): Date => new Date(now.getTime() - seconds * 1000);

function observed(status: MessageInitShape<typeof StatusSchema>): ObservedServer {
  const json = toJson(StatusSchema, create(StatusSchema, status)) as Record<string, unknown>;
  return { name: "server-1", state: "active", linked: true, status: json, status_at: ago(7) };
}

test("the text tells everything that an operator asks for", () => {
  const text = statusText(
    observed({
      agentVersion: "1.2.3",
      uptimeSeconds: 7200n,
      engine: { reachable: true, version: "20.10.24", apiVersion: "1.41" },
      proxy: { reachable: false, version: "2.6.2" },
      cpu: { cores: 2, usedRatio: 0.25, load1m: 0.5 },
      memory: {
        totalBytes: 4n << 30n,
        availableBytes: 1n << 30n,
        promisedBytes: 3n << 30n,
        promisableBytes: 7n << 29n,
      },
      disks: [
        {
          purpose: "engine",
          totalBytes: 100n << 30n,
          availableBytes: 40n << 30n,
          inodesTotal: 1000n,
          inodesAvailable: 900n,
        },
      ],
      lock: { holder: { deployId: "d-1", attempt: 2 }, takenAt: timestampFromDate(ago(90)), step: Step.CLONE_BUILD },
      apps: [
        {
          app: { id: "a-1", name: "shop" },
          release: "v3",
          state: "running",
          health: Health.SERVING,
          imageDigest: "sha256:abc",
          startedAt: timestampFromDate(ago(3 * 86_400)),
        },
        {
          app: { id: "a-3", name: "wiki" },
          release: "v1",
          state: "restarting",
          health: Health.NOT_SERVING,
          reason: UnhealthyReason.CRASH_LOOP,
          restartCount: 7,
        },
        { app: { id: "a-4" }, state: "gone", health: Health.NOT_SERVING, reason: UnhealthyReason.GONE },
      ],
      stoppedApps: [
        {
          appId: "a-2",
          reason: StopReason.DISK_LIMIT,
          detail: "The app blog was stopped.",
          at: timestampFromDate(ago(70)),
        },
      ],
      lastErrors: [{ time: timestampFromDate(ago(60)), code: "disk_full", message: "The disk is full." }],
    }),
    now,
  );
  expect(text).toMatchInlineSnapshot(`
    "server         server-1 (active, agent linked)
    observed       7 s ago
    agent          1.2.3, up 2 h
    engine         20.10.24 (API 1.41)
    proxy          not reached, last seen as 2.6.2
    cpu            25 % of 2 cores, load 0.50
    memory         1.0 GiB free of 4.0 GiB, 75 % used; 3.0 GiB of 3.5 GiB promised to apps and databases
    disk (engine)  40.0 GiB free of 100.0 GiB, 60 % used, inodes 10 % used
    lock           deploy d-1, attempt 2, in clone_build, taken 90 s ago

    APP   RELEASE  STATE       HEALTH      RESTARTS  STARTED  IMAGE
    shop  v3       running     serving     0         3 d ago  sha256:abc
    wiki  v1       restarting  crash loop  7         -
    a-4            gone        gone        0         -

    Stopped by the platform:
    2026-01-02T03:02:55.000Z  The app blog was stopped.

    Last errors, newest first:
    2026-01-02T03:03:05.000Z  disk_full  The disk is full."
  `);
});

test("an agent that tells little is shown as far as it goes", () => {
  expect(statusText(observed({}), now)).toContain("lock      free");
});

test("an agent's words cannot steer the reader's terminal", () => {
  const text = statusText(observed({ lastErrors: [{ code: "x", message: "a\u001b[2Jb\u009bc" }] }), now);
  expect(text).toContain("a [2Jb c");
});

test("a field of a newer agent is no obstacle", () => {
  const server = observed({ proxy: { reachable: true, internalCaPem: "PEM" } });
  expect(internalCaOf({ ...server.status, novelty: 1 })).toBe("PEM");
});
