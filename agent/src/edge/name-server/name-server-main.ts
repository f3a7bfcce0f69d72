/**
 * The name server: a process of its own, so that apps stay reachable while the agent is upgraded or gone. It tells the
 * proxy which container serves a host (DNS), which hosts may have a certificate, and serves the pages of hosts without
 * a container. Everything comes from the route table file. Small on purpose: it imports next to nothing.
 *
 * Usage: node name-server-main.ts DATA_DIRECTORY
 */
import { randomInt } from "node:crypto";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { UPSTREAM_CACHE_MS, type Route } from "../routes.ts";
import { writeDurably } from "../../platform/durable-file.ts";
import { createBoundedLog } from "../caddy/bounded-log.ts";
import { createCertificateDesk } from "../certificates/certificate-desk.ts";
import { answerDnsQuery } from "./dns-answer.ts";
import { listenForDatagrams, listenForDns, listening } from "./dns-server.ts";
import { createAskServer } from "./ask-server.ts";
import { createFallbackServer } from "../fallback-pages.ts";
import {
  NAME_SERVER_VERSION,
  nameServerInfoFile,
  nameServerLogFile,
  readNameServerInfo,
  routesFile,
  type NameServerInfo,
  type NameServerPorts,
} from "./name-server-files.ts";
import { RouteTableReader } from "../route-table-reader.ts";

/**
 * The ports are below the range from which the system takes ports of outgoing connections, so that they are free at a
 * restart.
 */
const PORTS = { min: 20_000, max: 32_767 };
const PORT_ATTEMPTS = 50;
/** The kernel closes a killed process's sockets after the process is gone; all ports together may take this long. */
const PORT_WAIT_MS = 3_000;
const PORT_POLL_MS = 20;

/** Twice as long as the proxy believes that a host is served somewhere, with room for a busy machine. */
const LEAVE_MS = 2 * UPSTREAM_CACHE_MS + 100;

const dataDirectory = process.argv[2];
if (dataDirectory === undefined) throw new Error("Usage: name-server-main.ts DATA_DIRECTORY");
const log = createBoundedLog(nameServerLogFile(dataDirectory));
process.on("uncaughtException", (error) => {
  log("error", "ended by an error", { error: error.stack });
  process.exit(1);
});

const table = new RouteTableReader(routesFile(dataDirectory), (reason) =>
  log("error", "the route table is bad; the last good one is used", { reason }),
);
const lookUp = (host: string): Route | undefined => table.routes().get(host);
const desk = createCertificateDesk({ dataDirectory, lookUp, log });
let isLeaving = false;
const ask = createAskServer(desk, () => info);
const fallback = createFallbackServer(lookUp);

const waitUntil = Date.now() + PORT_WAIT_MS;
const earlier = readNameServerInfo(dataDirectory)?.ports;
const fallbackPort = await listenPreferring(earlier?.fallback, (port) => listening(fallback, port));
const ports: NameServerPorts = {
  fallback: fallbackPort,
  ask: await listenPreferring(earlier?.ask, (port) => listening(ask, port)),
  dns: await listenPreferring(earlier?.dns, listenDns),
  events: await listenPreferring(earlier?.events || undefined, listenForEvents),
};
const info: NameServerInfo = { version: NAME_SERVER_VERSION, pid: process.pid, ports };
// A bad file is reported now rather than at the first query.
table.load();
await writeDurably(nameServerInfoFile(dataDirectory), `${JSON.stringify(info)}\n`);
log("info", "listening", { pid: process.pid, ports });

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    if (isLeaving) return;
    isLeaving = true;
    setTimeout(() => {
      log("info", "stopped", { pid: process.pid, signal });
      process.exit(0);
    }, LEAVE_MS);
  });
}

async function listenDns(port: number): Promise<void> {
  await listenForDns(port, (packet) => answerDnsQuery(packet, lookUpToStay, fallbackPort));
}

/**
 * While leaving it says of no host any more where it is served, so that the proxy keeps new requests, and still where
 * the containers are that the proxy has chosen already: a request that has one and can't connect loses its body, and
 * could not be repeated.
 */
function lookUpToStay(host: string): Route | undefined {
  if (isLeaving) throw new Error("the name server is leaving");
  return lookUp(host);
}

async function listenForEvents(port: number): Promise<void> {
  await listenForDatagrams(port, (packet) => desk.hear(packet.toString("utf8")));
}

/** Listens on the port of the last time, or on a free one. @throws Error when none is free */
async function listenPreferring(
  preferred: number | undefined,
  listen: (port: number) => Promise<void>,
): Promise<number> {
  if (preferred !== undefined && (await listenWhenFree(preferred, listen))) return preferred;
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
    const port = randomInt(PORTS.min, PORTS.max + 1);
    if (await isListening(port, listen)) return port;
  }
  throw new Error(`No port from ${PORTS.min} to ${PORTS.max} is free.`);
}

/** Another port would be a new configuration of the proxy, which drops the WebSockets of every app. */
async function listenWhenFree(port: number, listen: (port: number) => Promise<void>): Promise<boolean> {
  for (let attempt = 0; !(await isListening(port, listen)); attempt++) {
    if (attempt === 0) log("warn", "port is taken, waiting for it", { port });
    if (Date.now() > waitUntil) {
      log("warn", "port stays taken, trying another", { port });
      return false;
    }
    await systemClock.sleep(PORT_POLL_MS);
  }
  return true;
}

async function isListening(port: number, listen: (port: number) => Promise<void>): Promise<boolean> {
  try {
    await listen(port);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false;
    throw error;
  }
}
