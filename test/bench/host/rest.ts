import { readdirSync, readFileSync } from "node:fs";
import { eventually } from "../../support/tools/eventually.ts";
import { startPlatform } from "../../support/platform/platform.ts";
import type { Figure } from "../figures.ts";

/** The promised memory of the whole platform at rest. */
const PROMISED_MB = 250;

/** Memory of both daemons, the name server and the embedded PostgreSQL together at rest, as the sum of PSS. */
export async function benchRest(): Promise<Figure[]> {
  const platform = await startPlatform({ embeddedDatabase: true });
  try {
    const first = { at: Date.now(), sum: Number.POSITIVE_INFINITY };
    // At rest: half a minute after the start, when idle connections are closed and nothing falls any more.
    await eventually(
      () => {
        first.sum = total(processesOf(platform.directory));
        return Date.now() - first.at;
      },
      (passed) => passed > 30_000,
      { what: "half a minute passes", deadlineMs: 60_000, intervalMs: 1_000 },
    );
    const parts = processesOf(platform.directory);
    for (const { name, pssMb } of parts) console.error(`  ${pssMb.toFixed(1).padStart(7)} MB  ${name}`);
    const ours = parts.filter((part) => !part.name.startsWith("caddy"));
    return [
      {
        bench: "rest",
        what: "control plane, agent, name server, PostgreSQL (sum of PSS)",
        unit: "MB",
        values: [total(ours)],
        floor: [PROMISED_MB],
        floorIs: "the promised bound",
      },
    ];
  } finally {
    await platform.stop();
  }
}

interface Part {
  name: string;
  pssMb: number;
}

function total(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + part.pssMb, 0);
}

/** Everything that was started with a path in the platform's directory, and the children of those. */
function processesOf(directory: string): Part[] {
  const all = readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name) && Number(name) !== process.pid);
  const parentOf = new Map(all.map((pid) => [pid, /^PPid:\s*(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? ""]));
  const belongs = (pid: string): boolean =>
    read(`/proc/${pid}/cmdline`).includes(directory) ||
    read(`/proc/${pid}/environ`).includes(directory) ||
    (parentOf.has(parentOf.get(pid)!) && belongs(parentOf.get(pid)!));
  return all
    .filter((pid) => pid !== String(process.ppid) && belongs(pid))
    .map((pid) => ({
      name: read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").slice(0, 100),
      pssMb: Number(/^Pss:\s*(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024,
    }))
    .filter((part) => part.pssMb > 0);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
