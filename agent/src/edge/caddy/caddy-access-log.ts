import { join } from "node:path";
import { proxyStateDirectory } from "../certificates/certificate-files.ts";

/** The proxy's only logger of requests: its configuration names no app, so one stream holds all of them. */
export const ACCESS_LOGGER = "http.log.access";

/** Names the current file in the proxy's state directory; Caddy renames full ones to `access-<time>.log`. */
const FILE = "access.log";

/** Where the proxy writes what it has answered, in the agent's data directory. */
export function accessLogDirectory(dataDirectory: string): string {
  return proxyStateDirectory(dataDirectory);
}

/** The files that there are, of those in the directory, oldest first; the last one is being written. */
export function accessLogFiles(names: readonly string[]): string[] {
  const full = names.filter((name) => /^access-[0-9TZ.-]+\.log$/.test(name)).toSorted();
  return names.includes(FILE) ? [...full, FILE] : full;
}

/**
 * A file, since writing to it never waits for a reader: the agent may be away. Three of 16 MiB hold 150,000 requests,
 * more than a busy host has while an agent restarts. Headers are left out: they hold what is nobody's business, and
 * most of the bytes.
 */
export function accessLog(stateDirectory: string): object {
  const dropped = ["request>headers", "request>tls", "resp_headers", "user_id", "logger", "msg", "level"];
  return {
    level: "INFO",
    include: [ACCESS_LOGGER],
    writer: {
      output: "file",
      filename: join(stateDirectory, FILE),
      roll_size_mb: 16,
      roll_keep: 2,
      roll_gzip: false,
    },
    encoder: {
      format: "filter",
      wrap: { format: "json" },
      fields: Object.fromEntries(dropped.map((field) => [field, { filter: "delete" }])),
    },
  };
}

/** The setting of a server whose requests are logged. */
export const accessLogging = { default_logger_name: "svc" };

/** A handler: the request is none of an app's users. */
export const unlogged = { handler: "vars", skip_log: true };
