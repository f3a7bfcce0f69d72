import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { EnvReader, formatHostPort, type HostPort } from "@svc/shared/platform/env.ts";
import { repositoryRoot } from "../setup/dependencies.mjs";

/**
 * The processes that a quickstart runs, and where: the defaults of the operating contract, or what the environment says
 * instead.
 */
export interface Installation {
  /** Holds the three folders below: `~/.svc`, or SVC_DATA_DIR. */
  dataDirectory: string;
  controlPlaneDirectory: string;
  agentDirectory: string;
  /** The folder of the quickstart itself: what it remembers, logs, sample repositories. */
  directory: string;
  apiListen: HostPort;
  agentsListen: HostPort;
  metricsListen: HostPort;
  agentHttp: HostPort;
  httpPort: number;
  httpsPort: number;
  appsDomain: string;
  /** The URL without a slash at the end. */
  apiUrl: string;
  /** "sudo " before commands: the folders are root's, and a quickstart that went through sudo has a reader who is not. */
  sudo: "sudo " | "";
  /** Whether DATABASE_URL says where its database is. */
  hasOwnDatabase: boolean;
  /** Variables that make it another than the usual one, as they were given. Every later command needs them too. */
  variables: Readonly<Record<string, string>>;
}

const PORTS = { min: 1, max: 65535 };

/** All that is read here, beside INIT_CWD, and what belongs to it. */
const VARIABLES = [
  "SVC_DATA_DIR",
  "SVC_LISTEN",
  "SVC_AGENTS_LISTEN",
  "SVC_METRICS_LISTEN",
  "SVC_AGENT_HTTP",
  "SVC_HTTP_PORT",
  "SVC_HTTPS_PORT",
  "SVC_APPS_DOMAIN",
  "SVC_BASE_URL",
  "SVC_TLS_CERT_FILE",
  "SVC_TLS_KEY_FILE",
] as const;

/** @throws EnvError naming the variable that does not parse */
export function readInstallation(env: NodeJS.ProcessEnv): Installation {
  const reader = new EnvReader(env);
  // The daemons run in other directories than this one. Under `npm run` that is the checkout; INIT_CWD is the person's.
  const dataDirectory = resolve(env.INIT_CWD ?? ".", reader.text("SVC_DATA_DIR") ?? join(homedir(), ".svc"));
  const apiListen = reader.address("SVC_LISTEN") ?? { host: "127.0.0.1", port: 8080 };
  const scheme = reader.text("SVC_TLS_CERT_FILE") === undefined ? "http" : "https";
  return {
    dataDirectory,
    controlPlaneDirectory: join(dataDirectory, "control-plane"),
    agentDirectory: join(dataDirectory, "agent"),
    directory: join(dataDirectory, "quickstart"),
    apiListen,
    agentsListen: reader.address("SVC_AGENTS_LISTEN") ?? { host: "127.0.0.1", port: 8443 },
    metricsListen: reader.address("SVC_METRICS_LISTEN") ?? { host: "127.0.0.1", port: 9181 },
    agentHttp: reader.address("SVC_AGENT_HTTP") ?? { host: "127.0.0.1", port: 9180 },
    httpPort: reader.integer("SVC_HTTP_PORT", PORTS) ?? 80,
    httpsPort: reader.integer("SVC_HTTPS_PORT", PORTS) ?? 443,
    appsDomain: reader.text("SVC_APPS_DOMAIN") ?? "apps.localhost",
    sudo: env.SUDO_USER ? "sudo " : "",
    hasOwnDatabase: Boolean(env.DATABASE_URL),
    variables: Object.fromEntries(VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
    apiUrl: reader.text("SVC_BASE_URL") ?? `${scheme}://${formatHostPort(apiListen)}`,
  };
}

/** The bundle that a daemon is run from. */
export function bundlePath(name: "control-plane" | "agent" | "admin"): string {
  return join(repositoryRoot, "dist", `${name}.mjs`);
}

/** `https://<name>.<apps domain>`, with the port where it is not the usual one. */
export function appUrl(installation: Installation, name: string): string {
  const port = installation.httpsPort === 443 ? "" : `:${installation.httpsPort}`;
  return `https://${name}.${installation.appsDomain}${port}`;
}

export function internalCaFile(installation: Installation): string {
  return join(installation.agentDirectory, "internal-ca.pem");
}
