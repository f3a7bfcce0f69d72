import { writeFile } from "node:fs/promises";
import type { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/logger.ts";
import type { Host } from "../ports.ts";
import type { BuildCaps, BuildCgroup } from "./build-cgroup.ts";
import { diskShortage, type BuildWatermarks } from "./build-watermarks.ts";

/** A fast disk takes a gigabyte in that time, which is what the watermark leaves. */
const LOOK_MS = 500;

/** The kernel's highest: when memory runs out, a build ends before any app. */
const OOM_SCORE = "1000";

/** An instruction that has not had a group after this time has none that we know. */
const GROUP_EXPECTED_MS = 10_000;

interface Options {
  host: Host;
  /** Where the engine and the agent write. */
  directories: readonly string[];
  watermarks: BuildWatermarks;
  cgroup: BuildCgroup;
  caps: BuildCaps;
  log: Logger;
}

export interface BuildWatch {
  /** Aborts with `disk_full`. */
  signal: AbortSignal;
  isMemoryCapped(): boolean;
  stop(): void;
}

/** Holds a build that runs to its limits: disk, the caps of groups that come while it runs, and its place before apps. */
export function watchBuild({ host, directories, watermarks, cgroup, caps, log }: Options): BuildWatch {
  const controller = new AbortController();
  const startedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let isMemoryCapped = cgroup.driver === "cgroupfs";
  let wasWarned = false;

  async function look(): Promise<void> {
    await Promise.all((await cgroup.processes()).map(endFirst));
    if (cgroup.driver === "systemd") await capNewGroups();
    for (const directory of directories) {
      const shortage: SvcError | undefined = await diskShortage(host, directory, watermarks);
      if (shortage) return controller.abort(shortage);
    }
  }

  async function capNewGroups(): Promise<void> {
    const result = await cgroup.apply(caps);
    isMemoryCapped ||= result.isMemoryCapped;
    const isMissing = result.groups === 0 && !isMemoryCapped && performance.now() - startedAt > GROUP_EXPECTED_MS;
    if (wasWarned || (result.failures.length === 0 && !isMissing)) return;
    wasWarned = true;
    log.warn({ failures: result.failures }, "a build runs and no cap of its memory is known to hold");
  }

  async function lookAgain(): Promise<void> {
    await look().catch((err: unknown) => log.warn({ err }, "the limits of a build could not be looked at"));
    if (!isStopped && !controller.signal.aborted) timer = setTimeout(() => void lookAgain(), LOOK_MS);
  }

  void lookAgain();
  return {
    signal: controller.signal,
    isMemoryCapped: () => isMemoryCapped,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** One that has just ended is no error. */
function endFirst(pid: number): Promise<void> {
  return writeFile(`/proc/${pid}/oom_score_adj`, OOM_SCORE).catch(() => undefined);
}
