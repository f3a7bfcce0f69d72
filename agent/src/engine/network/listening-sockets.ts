import { readFile } from "node:fs/promises";
import type { ListeningSocket } from "../../ports.ts";

/** State "listen" in the kernel's tables. */
const LISTEN = "0A";

/**
 * Lists the sockets on which processes in the network namespace of `pid` listen, read from the host's /proc: it works
 * without any tool in the image. Undefined when that process is not the container's, as where the agent runs in a
 * container of its own.
 */
export async function readListeningSockets(pid: number, containerId: string): Promise<ListeningSocket[] | undefined> {
  try {
    const cgroup = await readFile(`/proc/${pid}/cgroup`, "utf8");
    if (!cgroup.includes(containerId)) return undefined;
    const tables = await Promise.all(["tcp", "tcp6"].map((name) => readTable(pid, name)));
    return tables.flatMap(parseSocketTable);
  } catch {
    return undefined;
  }
}

/** A kernel without IPv6 has no tcp6. */
async function readTable(pid: number, name: string): Promise<string> {
  return readFile(`/proc/${pid}/net/${name}`, "utf8").catch(() => "");
}

/** The text of /proc/net/tcp or tcp6. The engine's own name server (127.0.0.11) is left out. */
export function parseSocketTable(text: string): ListeningSocket[] {
  return text
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === LISTEN)
    .map((fields) => (fields[1] ?? "").split(":"))
    .filter(([address]) => address !== ENGINE_DNS)
    .map(([address = "", port = ""]) => ({ port: Number.parseInt(port, 16), loopback: isLoopback(address) }));
}

/** Addresses are printed as 32-bit words in the machine's byte order (little-endian where Node 24 runs). */
const ENGINE_DNS = "0B00007F";
const LOOPBACK_V6 = "00000000000000000000000001000000";
const MAPPED_V4 = "0000000000000000FFFF0000";

function isLoopback(address: string): boolean {
  if (address.length === 8) return address.endsWith("7F");
  return address === LOOPBACK_V6 || (address.startsWith(MAPPED_V4) && address.endsWith("7F"));
}
