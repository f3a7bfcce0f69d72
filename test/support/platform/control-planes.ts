import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HostPort } from "@svc/shared/platform/env.ts";
import { addKey } from "../api/accounts.ts";
import { CONTROL_PLANE } from "./bundles.ts";
import { Daemon, UNHURRIED_TIERS_FILE } from "./platform.ts";
import { createTestDatabase, type TestDatabase } from "../database/postgres.ts";
import { freePorts } from "../tools/free-ports.ts";

/** Control planes as processes of their own on one database, without an agent. */
export interface ControlPlanes {
  baseUrls: string[];
  /** Where agents connect to each, and where its authority is kept. */
  agents: { address: HostPort; dataDirectory: string }[];
  daemons: Daemon[];
  pids(): number[];
  database: TestDatabase;
  /** Variables that an `admin` command for them needs. */
  env: Record<string, string>;
  /** A verified user of the tier team. */
  addKey(): Promise<{ userId: string; keyId: string; key: string }>;
  stop(): Promise<void>;
}

/** @param more variables of each, beyond those that it needs */
export async function startControlPlanes(
  count: number,
  more: Readonly<Record<string, string>> = {},
): Promise<ControlPlanes> {
  const directory = mkdtempSync(join(tmpdir(), "svc-control-planes-"));
  const database = await createTestDatabase();
  const ports = await freePorts(2 * count);
  const tiersFile = join(directory, "tiers.json");
  writeFileSync(tiersFile, UNHURRIED_TIERS_FILE);
  const env = {
    DATABASE_URL: database.url,
    SVC_MASTER_KEY_FILE: join(directory, "master.key"),
    SVC_TIERS_FILE: tiersFile,
  };
  const baseUrls: string[] = [];
  const agents: ControlPlanes["agents"] = [];
  const daemons: Daemon[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(daemons.map((daemon) => daemon.stop()));
    await database.drop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    // One after the other: the first makes the master key.
    for (let i = 0; i < count; i++) {
      const baseUrl = `http://127.0.0.1:${ports[2 * i]}`;
      const variables = {
        ...env,
        ...more,
        SVC_LISTEN: `127.0.0.1:${ports[2 * i]}`,
        SVC_AGENTS_LISTEN: `127.0.0.1:${ports[2 * i + 1]}`,
        SVC_METRICS_LISTEN: "127.0.0.1:0",
        SVC_DATA_DIR: join(directory, `control-plane-${i}`),
      };
      const daemon = new Daemon(
        CONTROL_PLANE,
        variables,
        `${baseUrl}/readyz`,
        join(directory, `control-plane-${i}.log`),
      );
      daemons.push(daemon);
      agents.push({ address: { host: "127.0.0.1", port: ports[2 * i + 1]! }, dataDirectory: variables.SVC_DATA_DIR });
      await daemon.start();
      baseUrls.push(baseUrl);
    }
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    baseUrls,
    agents,
    daemons,
    pids: () => daemons.map(({ pid }) => pid),
    database,
    env,
    addKey: () => addKey(database.db),
    stop,
  };
}
