import { readdir, readFile, readlink } from "node:fs/promises";

export interface HostListener {
  protocol: "tcp" | "tcp6" | "udp" | "udp6";
  port: number;
  isLoopback: boolean;
  /** Command line of the process that has it. */
  process: string;
}

/** Every socket that waits for others in the processes that name the directory, or run in it. */
export async function listenersOf(directory: string): Promise<HostListener[]> {
  const owners = new Map<string, string>();
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)) {
    const command = await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "");
    const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => "");
    if (![command, environment, cwd].some((text) => text.includes(directory))) continue;
    for (const inode of await socketsOf(pid)) owners.set(inode, command.replaceAll("\0", " ").trim());
  }
  const tables = (["tcp", "tcp6", "udp", "udp6"] as const).map(async (protocol) => {
    const rows = (await readFile(`/proc/net/${protocol}`, "latin1").catch(() => "")).split("\n").slice(1);
    return rows.flatMap((row) => {
      const fields = row.trim().split(/\s+/);
      const [address = "", port = ""] = (fields[1] ?? "").split(":");
      const owner = owners.get(fields[9] ?? "");
      // 0A is "listen"; 07 is a UDP socket that is connected to nobody.
      if (owner === undefined || fields[3] !== (protocol.startsWith("tcp") ? "0A" : "07")) return [];
      return [{ protocol, port: Number.parseInt(port, 16), isLoopback: isLoopback(address), process: owner }];
    });
  });
  return (await Promise.all(tables)).flat();
}

async function socketsOf(pid: string): Promise<string[]> {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const targets = await Promise.all(descriptors.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => "")));
  return targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []);
}

/** Addresses are printed as words in the machine's byte order, little-endian. */
function isLoopback(address: string): boolean {
  if (address.length === 8) return address.endsWith("7F");
  const isMappedV4 = address.startsWith("0000000000000000FFFF0000") && address.endsWith("7F");
  return isMappedV4 || address === "00000000000000000000000001000000";
}
