import { writeFile } from "node:fs/promises";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import type { Host } from "../../ports.ts";
import type { BuildHold } from "./build-caps.ts";
import { diskShortage } from "../../platform/disk-shortage.ts";
import { memoryShortage, type BuildWatermarks } from "./build-watermarks.ts";

/** A fast disk takes a gigabyte in that time, which is what the watermark leaves. */
const LOOK_AT_DISK_MS = 500;

/** A process takes some 100 MB in that time. A look costs 1 ms, as it reads only what processes are new. */
const LOOK_AT_PROCESSES_MS = 100;

/** The kernel gives an instruction some 100 MB in that time: no more than the watermark leaves. */
const LOOK_AT_MEMORY_MS = 100;

/** The kernel's highest: when memory runs out, a build ends before any app. */
const OOM_SCORE = "1000";

interface Options {
  host: Host;
  /** The directories that the engine and the agent write to. */
  directories: readonly string[];
  watermarks: BuildWatermarks;
  hold: Pick<BuildHold, "look">;
  /** Whether the engine runs an instruction of the build, as its progress tells. */
  isInstructionRunning: () => boolean;
  log: Logger;
}

export interface BuildWatch {
  /** Aborts with `disk_full`, `build_caps_unavailable` or `build_out_of_memory`. */
  signal: AbortSignal;
  stop(): void;
}

/** Holds a build that runs to its limits: what the host has left, the caps of its instructions, and its place before apps. */
export function watchBuild(options: Options): BuildWatch {
  const { host, directories, watermarks, hold, isInstructionRunning, log } = options;
  const controller = new AbortController();
  const stopping = new AbortController();

  async function lookAtProcesses(): Promise<void> {
    await Promise.all((await hold.look(isInstructionRunning())).map(endFirst));
  }

  async function lookAtDisk(): Promise<void> {
    for (const directory of directories) {
      const shortage = await diskShortage(host, directory, watermarks);
      if (shortage) throw shortage;
    }
  }

  async function lookAtMemory(): Promise<void> {
    const shortage = await memoryShortage(host, watermarks);
    if (shortage) throw shortage;
  }

  const ended = AbortSignal.any([controller.signal, stopping.signal]);
  function lookEvery(everyMs: number, look: () => Promise<void>): void {
    const work = (): Promise<void> =>
      look().catch((error: unknown) => {
        if (!(error instanceof SvcError)) throw error;
        controller.abort(error);
      });
    const failing = "the limits of a build can't be looked at";
    void repeat({ everyMs, retryMsMax: everyMs, work, failing, log }, ended);
  }

  lookEvery(LOOK_AT_PROCESSES_MS, lookAtProcesses);
  lookEvery(LOOK_AT_DISK_MS, lookAtDisk);
  lookEvery(LOOK_AT_MEMORY_MS, lookAtMemory);
  return { signal: controller.signal, stop: () => stopping.abort() };
}

/** A process that has just ended is no error. */
function endFirst(pid: number): Promise<void> {
  return writeFile(`/proc/${pid}/oom_score_adj`, OOM_SCORE).catch(() => undefined);
}
