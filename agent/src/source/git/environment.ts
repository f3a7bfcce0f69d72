import { isIP } from "node:net";
import type { Access } from "./access.ts";
import { hostOf, portOf } from "./repository-url.ts";

export interface GitSettings {
  url: URL;
  /** The addresses that connections to the URL's host go to, whatever a name server says by then. */
  addresses: readonly string[];
  /** PEM file with every authority that is trusted. */
  caFile: string;
  /** An empty folder that stands in for a home. */
  home: string;
  /** Is only for a fetch: what reads the repository. */
  access?: Access | undefined;
}

/**
 * The whole environment of a git process, made from nothing: no configuration of the machine or of a user, no prompt,
 * no protocol but the URL's own, and nothing from the repository is run (hooks, submodules, filters).
 */
export function gitEnvironment(settings: GitSettings): Record<string, string> {
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: settings.home,
    XDG_CONFIG_HOME: settings.home,
    // Messages are read by failure.ts.
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "/bin/false",
    GIT_ALLOW_PROTOCOL: protocolOf(settings.url),
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_CEILING_DIRECTORIES: "/",
    // One allocation of a hostile pack can be of any size; the largest file that is let through fits many times over.
    GIT_ALLOC_LIMIT: "512m",
  };
  if (settings.access?.kind === "ssh") {
    env.GIT_SSH_COMMAND = settings.access.command;
    env.GIT_SSH_VARIANT = "ssh";
  }
  const pairs = Object.entries(configuration(settings));
  env.GIT_CONFIG_COUNT = String(pairs.length);
  pairs.forEach(([key, value], index) => {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return env;
}

/** The commit as git names it. */
function protocolOf(url: URL): string {
  return url.protocol.replace(":", "");
}

function configuration({ url, addresses, caFile, access }: GitSettings): Record<string, string> {
  return {
    "init.defaultBranch": "main",
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.symlinks": "true",
    "submodule.recurse": "false",
    "credential.helper": "",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "advice.detachedHead": "false",
    "filter.lfs.smudge": "",
    "filter.lfs.process": "",
    "filter.lfs.required": "false",
    "protocol.allow": "never",
    [`protocol.${protocolOf(url)}.allow`]: "always",
    "http.followRedirects": "false",
    "http.proxy": "",
    "http.sslVerify": "true",
    "http.sslCAInfo": caFile,
    // A host that trickles for longer than this is as good as gone.
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "30",
    "transfer.fsckObjects": "true",
    // Flaws without a risk that well-known old repositories carry.
    "fetch.fsck.zeroPaddedFilemode": "ignore",
    "fetch.fsck.missingSpaceBeforeDate": "ignore",
    "fetch.fsck.badTimezone": "ignore",
    ...pinned(url, addresses),
    ...(access?.kind === "token" && { "http.extraHeader": `Authorization: ${basic(access.token)}` }),
  };
}

/** The user name is the wire's contract; the host looks at the password alone. */
function basic(token: string): string {
  return `Basic ${Buffer.from(`svc:${token}`).toString("base64")}`;
}

/** An address in the URL itself needs no pin; ssh is given its address by its command. */
function pinned(url: URL, addresses: readonly string[]): Record<string, string> {
  const host = hostOf(url);
  if (isIP(host) !== 0 || url.protocol === "ssh:") return {};
  return { "http.curloptResolve": `${host}:${portOf(url)}:${addresses.map(bracketed).join(",")}` };
}

function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}
