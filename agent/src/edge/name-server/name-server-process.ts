import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { callLocal, fieldOf } from "../local-http.ts";
import {
  NAME_SERVER_VERSION,
  nameServerLogFile,
  readNameServerInfo,
  type NameServerInfo,
  type NameServerPorts,
} from "./name-server-files.ts";
import { endOwnProcesses, type ProcessFacts } from "../own-processes.ts";
import { startProcess } from "../start-process.ts";

/** It answers from memory; one that takes longer hangs, and a restart is hidden by the proxy's retries. */
const HEALTH_TIMEOUT_MS = 2_000;
/** A start takes 0.2 s; a loaded host may take some. */
const START_MS_MAX = 10_000;
/** Small heaps: the table of 1,000 routes is 200 KB, and there is nothing to compute. */
const NODE_OPTIONS = ["--max-semi-space-size=1", "--max-old-space-size=64", "--v8-pool-size=1"];

export interface NameServerOptions {
  dataDirectory: string;
  log: Logger;
  /** Is called when a name server that this process started has ended after it was ready. */
  onExit: () => void;
}

/**
 * Starts the name server when none of our version answers, and replaces one that hangs.
 * @throws SvcError proxy_unavailable
 */
export async function ensureNameServer(options: NameServerOptions): Promise<NameServerPorts> {
  const { dataDirectory, log } = options;
  const known = readNameServerInfo(dataDirectory);
  if (known && (await answers(known))) {
    if (known.version === NAME_SERVER_VERSION) return known.ports;
    await endNameServer(dataDirectory, "SIGTERM");
  } else {
    await endNameServer(dataDirectory, "SIGKILL");
  }
  const started = await start(options);
  log.info({ pid: started.pid, ports: started.ports }, "started the name server");
  return started.ports;
}

/**
 * Ends the data directory's name servers, and waits until they are gone. There is one, or none, or one more that was
 * not ready when its agent was killed and would take the ports of the next.
 */
export async function endNameServer(dataDirectory: string, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  const isOurs = ({ argv }: ProcessFacts): boolean =>
    argv.at(-1) === dataDirectory && /name-server(-main\.ts|\.mjs)$/.test(argv.at(-2) ?? "");
  await endOwnProcesses(isOurs, { signal, killAfterMs: HEALTH_TIMEOUT_MS });
}

async function start({ dataDirectory, onExit }: NameServerOptions): Promise<NameServerInfo> {
  const logFile = nameServerLogFile(dataDirectory);
  let started: NameServerInfo | undefined;
  try {
    await startProcess({
      argv: [process.execPath, ...NODE_OPTIONS, entryFile(), dataDirectory],
      directory: "/",
      env: {},
      logFile,
      logFlag: "a",
      startMsMax: START_MS_MAX,
      async isReady(pid) {
        started = readNameServerInfo(dataDirectory);
        return started?.pid === pid && (await answers(started));
      },
      onExit,
    });
  } catch (cause) {
    const sentence = `The agent's name server ${(cause as Error).message}; its log is ${logFile}.`;
    throw new SvcError("proxy_unavailable", sentence, { cause });
  }
  return started!;
}

/** The program beside the bundle of the agent, or the source beside this file. */
function entryFile(): string {
  const bundled = fileURLToPath(new URL("name-server.mjs", import.meta.url));
  return existsSync(bundled) ? bundled : fileURLToPath(new URL("name-server-main.ts", import.meta.url));
}

async function answers(info: NameServerInfo): Promise<boolean> {
  try {
    const target = { host: "127.0.0.1", port: info.ports.ask } as const;
    const health = await callLocal(target, { path: "/healthz", timeoutMs: HEALTH_TIMEOUT_MS });
    return fieldOf(health, "pid") === info.pid;
  } catch {
    return false;
  }
}
