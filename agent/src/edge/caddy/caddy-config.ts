import { internalPatterns, type CertificatePolicy } from "../certificates/certificate-policy.ts";
import { HOST_NAME_LENGTH_MAX, HOST_NAME_PATTERN } from "@svc/shared/rules/host-name.ts";
import { UPSTREAM_ZONE } from "../routes.ts";
import { ACCESS_LOGGER, accessLog, accessLogging, unlogged } from "./caddy-access-log.ts";
import { bodyLimit, bodyTooLarge, callersClaims, compression, connectionLimits } from "./caddy-traffic.ts";
import { fieldOf } from "../local-http.ts";
import type { NameServerPorts } from "../name-server/name-server-files.ts";

/** A probe carries the secret in this request header and is stripped of it before the app sees it. */
export const PROBE_HEADER = "X-Svc-Probe";
/** The header that tells a probe the address of the container that answered. */
export const PROBE_ANSWER_HEADER = "X-Svc-Upstream";

/** Tells our configuration from that of a Caddy which somebody else runs. */
const HTTPS_SERVER = "svc_https";
const HTTP_SERVER = "svc_http";

export interface CaddySettings {
  /** Path of the socket of Caddy's API. */
  adminSocket: string;
  /** Certificates, keys of the internal authority, Caddy's log. */
  stateDirectory: string;
  /** Interface to listen on; "" for all. */
  listenHost: string;
  httpPort: number;
  httpsPort: number;
  nameServer: NameServerPorts;
  probeSecret: string;
  certificates: CertificateSettings;
  /** How long an upstream that was looked up is kept. Milliseconds. */
  upstreamCacheMs: number;
  /** Major, minor: HTTP/3 is served from 2.7 on, and from 2.8 on the permission for certificates is a module. */
  caddyVersion: Version;
}

export interface CertificateSettings {
  policy: CertificatePolicy;
  /** Paths of what the policy holds as text, where it holds it. */
  acmeRootsFile?: string | undefined;
  own?: { certificate: string; key: string } | undefined;
}

/**
 * The proxy's whole configuration. It holds no app: any change of Caddy's configuration drops connections of all apps,
 * so that what changes is in the route table, which Caddy asks the name server for.
 */
export function caddyConfig(settings: CaddySettings): object {
  return {
    admin: {
      listen: `unix/${settings.adminSocket}`,
      origins: ["caddy"],
      config: { persist: false },
    },
    logging: {
      logs: {
        default: { level: "WARN", writer: logFile(settings), exclude: [ACCESS_LOGGER] },
        access: accessLog(settings.stateDirectory),
        [ORDERS_LOG]: ordersLog(settings.nameServer),
      },
    },
    storage: { module: "file_system", root: settings.stateDirectory },
    apps: {
      http: {
        http_port: settings.httpPort,
        https_port: settings.httpsPort,
        grace_period: "10s",
        servers: { [HTTP_SERVER]: httpServer(settings), [HTTPS_SERVER]: httpsServer(settings) },
      },
      tls: {
        ...(settings.certificates.own && { certificates: { load_files: [settings.certificates.own] } }),
        automation: { on_demand: permission(settings), policies: certificatePolicies(settings) },
      },
      pki: { certificate_authorities: { local: { install_trust: false } } },
    },
  };
}

/** Four files of 10 MiB: a week of warnings of a busy host. */
function logFile(settings: CaddySettings): object {
  return { output: "file", filename: `${settings.stateDirectory}/caddy.log`, roll_size_mb: 10, roll_keep: 3 };
}

const ORDERS_LOG = "orders";

/** The name server hears what comes of orders: the proxy has no other way to tell. */
function ordersLog({ events }: NameServerPorts): object {
  return {
    level: "INFO",
    writer: { output: "net", address: `udp/127.0.0.1:${events}` },
    encoder: { format: "json" },
    include: ["tls.obtain"],
  };
}

/** Requests in clear text are sent to HTTPS; the listener is also where an ACME authority looks for its challenge. */
function httpServer({ listenHost, httpPort, httpsPort }: CaddySettings): object {
  const port = httpsPort === 443 ? "" : `:${httpsPort}`;
  return {
    listen: [`${listenHost}:${httpPort}`],
    protocols: ["h1"],
    ...connectionLimits,
    automatic_https: { disable: true },
    routes: [
      {
        match: [validHost],
        handle: [
          {
            handler: "static_response",
            status_code: 308,
            headers: { Location: [`https://{http.request.host}${port}{http.request.uri}`] },
          },
        ],
      },
      notFound,
    ],
  };
}

function httpsServer(settings: CaddySettings): object {
  const { listenHost, httpsPort, probeSecret } = settings;
  return {
    listen: [`${listenHost}:${httpsPort}`],
    // A new configuration makes Caddy 2.6 serve HTTP/3 with former certificates, or not at all.
    protocols: isAtLeast(settings.caddyVersion, [2, 7]) ? ["h1", "h2", "h3"] : ["h1", "h2"],
    ...connectionLimits,
    automatic_https: { disable: true },
    tls_connection_policies: [{}],
    logs: accessLogging,
    routes: [
      probeAnswer(probeSecret),
      bodyTooLarge,
      compression,
      { match: [validHost], handle: [callersClaims, bodyLimit, toContainer(settings)] },
      notFound,
    ],
  };
}

/** Only what the name server can be asked for; anything else would be retried until the time limit. */
const validHost = {
  vars_regexp: { "{http.request.host}": { pattern: `(?i)^${HOST_NAME_PATTERN}$` } },
  // The app gets the rest after the colon as it is, and may make links of it.
  header_regexp: { Host: { pattern: `^[^:]{1,${HOST_NAME_LENGTH_MAX}}(:[0-9]{1,5})?$` } },
};

const notFound = { handle: [{ handler: "static_response", status_code: 404 }] };

function probeAnswer(secret: string): object {
  return {
    match: [{ header: { [PROBE_HEADER]: [secret] } }],
    handle: [
      unlogged,
      {
        handler: "headers",
        request: { delete: [PROBE_HEADER] },
        response: { deferred: true, set: { [PROBE_ANSWER_HEADER]: ["{http.reverse_proxy.upstream.address}"] } },
      },
    ],
  };
}

/** A request reaches its app once: whatever the transport would repeat by itself gets a connection of its own. */
function toContainer(settings: CaddySettings): object {
  return {
    handler: "subroute",
    routes: [
      { match: repeatedByTransport, handle: [reverseProxy(settings, { enabled: false })] },
      { handle: [reverseProxy(settings, { idle_timeout: KEPT_TO_APP })] },
    ],
  };
}

/**
 * Methods that Go's transport sends again when a connection breaks that served another request before, although the app
 * may have seen it (net/http, Request.isReplayable; decision 021).
 */
const repeatedByTransport = [
  { method: ["GET", "HEAD", "OPTIONS", "TRACE"] },
  { header: { "Idempotency-Key": ["*"] } },
  { header: { "X-Idempotency-Key": ["*"] } },
];

/**
 * How long an idle connection to an app is kept. An app that closes it first loses the POST that is on its way then,
 * which can't be repeated. The shortest that servers wait by default is 2 s (gunicorn); Node and uvicorn wait 5 s.
 */
const KEPT_TO_APP = "1s";

/**
 * No `flush_interval`: Caddy flushes at once what has no length, server-sent events included; set to -1 it would also
 * keep a request at the app that its client has left.
 */
function reverseProxy({ nameServer: { dns: dnsPort }, upstreamCacheMs }: CaddySettings, keepAlive: object): object {
  // The transport resolves the containers' names by itself, so it needs the same resolver as the SRV look-up.
  const resolver = { addresses: [`udp/127.0.0.1:${dnsPort}`] };
  return {
    handler: "reverse_proxy",
    dynamic_upstreams: {
      source: "srv",
      name: `{http.request.host}.${UPSTREAM_ZONE}.`,
      refresh: `${upstreamCacheMs}ms`,
      resolver,
    },
    transport: { protocol: "http", resolver, dial_timeout: "1s", keep_alive: keepAlive },
    // Hides a restart of the name server, and of an app's container. Caddy takes up again by itself what failed to
    // connect, unless it has a body, which is closed by then. It repeats nothing that failed later, whatever the method.
    // The name server therefore leaves in two steps (name-server-main.ts).
    load_balancing: { try_duration: "10s", try_interval: "250ms", retry_match: [notYetSent] },
  };
}

/**
 * No container was chosen yet, because the name server did not answer: safe with any method. Caddy 2.6 would otherwise
 * refuse such a request with 503.
 */
const notYetSent = { vars: { "{http.reverse_proxy.upstream.address}": ["", "<nil>"] } };

function permission({ nameServer, caddyVersion }: CaddySettings): object {
  const endpoint = `http://127.0.0.1:${nameServer.ask}/ask`;
  return isAtLeast(caddyVersion, [2, 8]) ? { permission: { module: "http", endpoint } } : { ask: endpoint };
}

type Version = readonly [major: number, minor: number];

function isAtLeast([major, minor]: Version, [majorMin, minorMin]: Version): boolean {
  return major > majorMin || (major === majorMin && minor >= minorMin);
}

/** The first that matches a name issues its certificate. */
function certificatePolicies({ certificates, httpPort, httpsPort }: CaddySettings): object[] {
  const { policy, acmeRootsFile } = certificates;
  const internal = { on_demand: true, issuers: [{ module: "internal" }] };
  if (!policy.acme) return [internal];
  const acme = {
    module: "acme",
    ca: policy.acme.directory,
    ...(policy.acme.email !== "" && { email: policy.acme.email }),
    ...(acmeRootsFile !== undefined && { trusted_roots_pem_files: [acmeRootsFile] }),
    challenges: { http: { alternate_port: httpPort }, "tls-alpn": { alternate_port: httpsPort } },
  };
  return [
    { subjects: internalPatterns(policy), ...internal },
    { on_demand: true, issuers: [acme] },
  ];
}

/** Reads our server from a configuration that Caddy runs; undefined when it is not ours. */
export function httpsServerOf(config: unknown): unknown {
  return fieldOf(fieldOf(fieldOf(fieldOf(config, "apps"), "http"), "servers"), HTTPS_SERVER);
}
