import { execFile } from "node:child_process";
import { constants, setPriority } from "node:os";
import type { DiskUse } from "../engine/disk-limits.ts";

/** du counts some ten million uncached files in that time; the totals that it has by then are used. */
const MEASURE_MS_MAX = 60_000;
/** du writes a line for each directory. */
const OUTPUT_BYTES_MAX = 16 * 1024 ** 2;

/**
 * Measures what the directories take on the disk, by path; one that is gone is missing. `du` walks them in a process of
 * its own: a tree of 100,000 files would keep the agent from everything else for a second.
 */
export async function measureTrees(paths: readonly string[], signal: AbortSignal): Promise<Map<string, DiskUse>> {
  if (paths.length === 0) return new Map();
  const [bytes, files] = await Promise.all([
    summarize("--block-size=1", paths, signal),
    summarize("--inodes", paths, signal),
  ]);
  const measured = paths.filter((path) => bytes.has(path) && files.has(path));
  return new Map(measured.map((path) => [path, { bytes: bytes.get(path)!, files: files.get(path)! }]));
}

/** Sums up each path. Files come and go while they are counted: what du says of those is no failure. */
function summarize(unit: string, paths: readonly string[], signal: AbortSignal): Promise<Map<string, number>> {
  const argv = ["--summarize", "--one-file-system", unit, "--", ...paths];
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C" };
  return new Promise((resolve, reject) => {
    const options = { env, signal, timeout: MEASURE_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX };
    const du = execFile("du", argv, options, (error, stdout) => {
      const isMissing = error !== null && "code" in error && typeof error.code === "string";
      if (isMissing) reject(error);
      else resolve(parseTotals(stdout));
    });
    if (du.pid !== undefined) goLast(du.pid);
  });
}

/** Lets a process have what all others leave of the processors. One that has ended already needs nothing. */
function goLast(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function parseTotals(text: string): Map<string, number> {
  const lines = text.split("\n").map((line) => /^(\d+)\t(.+)$/.exec(line));
  return new Map(lines.filter((match) => match !== null).map(([, total, path]) => [path!, Number(total)]));
}
