import { hostOf, portOf } from "./repository-url.ts";

export interface SshAccess {
  url: URL;
  /** The address that the connection goes to, whatever a name server says by then. */
  address: string;
  keyFile: string;
  knownHostsFile: string;
}

/** This is long enough for a far host, short beside the limits of a fetch. Seconds. */
const CONNECT_SECONDS = 15;
/** A host that is silent for three of these is gone. Seconds. */
const ALIVE_SECONDS = 20;

/**
 * GIT_SSH_COMMAND, which git gives to a shell: this key alone, these host keys alone, nothing of the machine's or a user's
 * configuration, no agent, no prompt, and nothing forwarded.
 */
export function sshCommand({ url, address, keyFile, knownHostsFile }: SshAccess): string {
  const options = {
    HostName: address,
    HostKeyAlias: knownHostName(url),
    IdentityFile: asPath(keyFile),
    IdentitiesOnly: "yes",
    IdentityAgent: "none",
    UserKnownHostsFile: asPath(knownHostsFile),
    GlobalKnownHostsFile: "/dev/null",
    StrictHostKeyChecking: "yes",
    UpdateHostKeys: "no",
    VerifyHostKeyDNS: "no",
    BatchMode: "yes",
    PreferredAuthentications: "publickey",
    ConnectTimeout: CONNECT_SECONDS,
    ConnectionAttempts: 1,
    ServerAliveInterval: ALIVE_SECONDS,
    ServerAliveCountMax: 3,
    ForwardAgent: "no",
    ForwardX11: "no",
    ClearAllForwardings: "yes",
    PermitLocalCommand: "no",
    ControlPath: "none",
    RequestTTY: "no",
  };
  const argv = [
    "ssh",
    "-F",
    "/dev/null",
    ...Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]),
  ];
  return argv.map(quotedForShell).join(" ");
}

/** Under which the host's keys stand in known_hosts (sshd(8)): a port that is not 22 is a part of it. */
function knownHostName(url: URL): string {
  const [host, port] = [hostOf(url), portOf(url)];
  return port === 22 ? host : `[${host}]:${port}`;
}

/** ssh splits the values of options at spaces, and expands % in them. */
function asPath(path: string): string {
  return `"${path.replaceAll(/["\\]/g, "\\$&").replaceAll("%", "%%")}"`;
}

function quotedForShell(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
