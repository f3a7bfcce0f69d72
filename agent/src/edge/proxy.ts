import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import { dialTargetsOf, UPSTREAM_CACHE_MS, upstreamOfDialAddress } from "./routes.ts";
import { serializePolicy } from "./certificates/certificate-policy.ts";
import { readIfPresent, writeDurably } from "../platform/durable-file.ts";
import type { Proxy } from "../ports.ts";
import { createCaddy } from "./caddy/caddy.ts";
import { policyFile } from "./certificates/certificate-files.ts";
import { callLocal, fieldOf } from "./local-http.ts";
import { requestCertificate } from "./certificates/request-certificate.ts";
import { readNameServerInfo } from "./name-server/name-server-files.ts";
import { endNameServer, ensureNameServer } from "./name-server/name-server-process.ts";
import { proveRoute } from "./prove-route.ts";
import { createRouteTable } from "./route-table.ts";

/** The pause between two looks at both processes; the proxy hides up to 10 s without a name server. */
const CHECK_INTERVAL_MS = 2_000;
/** A proxy that ends right after each start is started again after this pause. */
const RESTART_PAUSE_MS = 200;
/** It answers from memory and one small file. */
const NAME_SERVER_MS_MAX = 2_000;
/** A host that is out of memory or processors holds a proxy up for seconds. */
const SILENT_MS_MAX = 30_000;
/** Between two starts that fail. */
const RETRY_MS = { min: 500, max: 30_000 };

export interface ProxyOptions {
  /** The agent's; holds the route table, Caddy's state and the name server's files. */
  dataDirectory: string;
  httpPort: number;
  httpsPort: number;
  /** Socket of Caddy's API; in the data directory unless given. */
  adminSocket?: string | undefined;
  /** Interface to listen on; all unless given. */
  listenHost?: string | undefined;
  /** Name or path of Caddy. */
  caddyBinary?: string | undefined;
  /** Another time than SILENT_MS_MAX, for tests. */
  silentMsMax?: number | undefined;
  /** Another time than UPSTREAM_CACHE_MS, to measure it. */
  upstreamCacheMs?: number | undefined;
  log: Logger;
}

/** Caddy and the name server. Both are processes of their own: they serve on when the agent ends. */
export interface HostProxy extends Proxy {
  /** Restarts what died, with backoff, until the signal; resolves then. */
  supervise(signal: AbortSignal): Promise<void>;
  /** Ends both processes, and with them the apps' traffic. For tests and for removing a server. */
  shutDown(): Promise<void>;
}

export function createProxy(options: ProxyOptions): HostProxy {
  const { httpsPort, log } = options;
  // Both processes have a working directory of their own.
  const dataDirectory = resolve(options.dataDirectory);
  let wake = (): void => {};
  const onExit = (): void => wake();
  const caddy = createCaddy({
    dataDirectory,
    httpPort: options.httpPort,
    httpsPort,
    listenHost: options.listenHost ?? "",
    adminSocket: options.adminSocket === undefined ? undefined : resolve(options.adminSocket),
    binary: options.caddyBinary ?? "caddy",
    silentMsMax: options.silentMsMax ?? SILENT_MS_MAX,
    upstreamCacheMs: options.upstreamCacheMs ?? UPSTREAM_CACHE_MS,
    log,
    onExit,
  });
  const table = createRouteTable(dataDirectory);
  const caFile = join(dataDirectory, "internal-ca.pem");
  let starting: Promise<void> | undefined;

  async function startBoth(): Promise<void> {
    await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
    await caddy.ensureRunning(await ensureNameServer({ dataDirectory, log, onExit }));
    const pem = await caddy.admin.internalCaPem();
    if ((await readIfPresent(caFile)) !== pem) await writeDurably(caFile, pem, 0o644);
  }

  /** One at a time: supervision and the steps may ask at the same moment. */
  async function ensureRunning(): Promise<void> {
    starting ??= startBoth().finally(() => (starting = undefined));
    try {
      await starting;
    } catch (cause) {
      if (cause instanceof SvcError) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new SvcError("proxy_unavailable", `The proxy of this server can't be started: ${reason}.`, { cause });
    }
  }

  async function allRequestsInFlight(): Promise<Map<string, number>> {
    const entries = await caddy.admin.upstreams().catch((cause: unknown) => {
      throw new SvcError("proxy_unavailable", "The proxy does not answer on its admin socket.", { cause });
    });
    const open = new Map<string, number>();
    for (const { address, requests } of entries) {
      const upstream = upstreamOfDialAddress(address);
      if (upstream !== undefined) open.set(upstream, (open.get(upstream) ?? 0) + requests);
    }
    return open;
  }

  return {
    ensureRunning,
    routes: () => table.routes(),
    setRoutes: (appId, routes) => table.updateRoutes(appId, () => routes),
    updateRoutes: (appId, next) => table.updateRoutes(appId, next),
    async describe() {
      const reachable = await caddy.admin.config().then(Boolean, () => false);
      return { reachable, version: await caddy.version(), internalCaPem: (await readIfPresent(caFile)) ?? "" };
    },
    async prove(host, upstream, signal) {
      const route = (await table.routes()).find((candidate) => candidate.host === host);
      if (route?.upstream !== upstream || route.state !== "serving") {
        throw new SvcError("route_not_proven", `No route of this server leads ${host} to ${upstream}.`);
      }
      await proveRoute({
        host,
        httpsPort,
        dialAddresses: dialTargetsOf(route).map(({ name, port }) => `${name}:${port}`),
        caPem: (await readIfPresent(caFile)) ?? "",
        probeSecret: await caddy.probeSecret(),
        signal,
      });
      if (!route.pending) requestCertificate(host, httpsPort);
    },
    async setCertificatePolicy(policy) {
      await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
      const text = serializePolicy(policy);
      if ((await readIfPresent(policyFile(dataDirectory))) !== text) {
        await writeDurably(policyFile(dataDirectory), text);
        log.info({ acme: policy.acme?.directory, internal: policy.internalDomains }, "the certificate policy is new");
      }
      // A start under way may have read the former policy.
      await starting?.catch(() => undefined);
      await ensureRunning();
    },
    async certificate(host) {
      const port = readNameServerInfo(dataDirectory)?.ports.ask ?? 0;
      const path = `/certificate?domain=${encodeURIComponent(host)}`;
      const known = await callLocal({ host: "127.0.0.1", port }, { path, timeoutMs: NAME_SERVER_MS_MAX }).catch(
        (cause: unknown) => {
          throw new SvcError("proxy_unavailable", "The name server of the proxy does not answer.", { cause });
        },
      );
      const dateOf = (value: unknown): Date | undefined => (typeof value === "string" ? new Date(value) : undefined);
      return {
        notAfter: dateOf(fieldOf(known, "notAfter")),
        failure: String(fieldOf(known, "failure") ?? ""),
        usedUp: String(fieldOf(known, "usedUp") ?? ""),
        nextOrderAt: dateOf(fieldOf(known, "nextOrderAt")),
      };
    },
    requestsInFlight: async (upstream) => (await allRequestsInFlight()).get(upstream) ?? 0,
    allRequestsInFlight,
    supervise: (signal) =>
      repeat(
        {
          everyMs: RETRY_MS.min,
          retryMsMax: RETRY_MS.max,
          async work() {
            await ensureRunning();
            return CHECK_INTERVAL_MS;
          },
          failing: "the proxy does not run; the agent goes on trying to start it",
          wakeOn(listener) {
            wake = () => void setTimeout(listener, RESTART_PAUSE_MS).unref();
            return () => (wake = () => {});
          },
          log,
        },
        signal,
      ),
    async shutDown() {
      await caddy.stop();
      // The proxy is gone, so that nobody is left to be told that the name server leaves.
      await endNameServer(dataDirectory, "SIGKILL");
    },
  };
}
