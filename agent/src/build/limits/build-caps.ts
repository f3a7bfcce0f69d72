import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import type { BuildCaps, Cgroup, Cgroups } from "./build-cgroup.ts";
import type { BuildProcesses } from "./build-processes.ts";

/** An instruction that was not found in a group of its own after this time runs where its caps can't be set. */
const FOUND_MS_MAX = 10_000;

interface Options {
  cgroups: Cgroups;
  processes: BuildProcesses;
  caps: BuildCaps;
  /** Whether a build is refused or ended when its caps are not in force; otherwise the log says so. */
  areRequired: boolean;
  /** Groups of all builds that former ones have shown; what this one shows is added. */
  known: Map<string, Cgroup>;
  log: Logger;
}

/**
 * Holds a build to its caps. The engine's parent of groups, its driver and the kernel's hierarchy decide where BuildKit's
 * instructions run, and the build call's own limits are ignored: so each group is read from a process of the instruction.
 */
export class BuildHold {
  readonly #options: Options;
  /** The caps that each group has. */
  readonly #held = new Map<string, BuildCaps>();
  readonly #warned = new Set<string>();
  #isAnyHeld = false;
  /** Whether the build's instructions run in a group of them all, which is capped whether or not one of them is seen. */
  #isShared = false;
  #unseenSince: number | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Whether the kernel ends what takes more memory than the caps allow. */
  get isHeld(): boolean {
    return this.#isAnyHeld && this.#warned.size === 0;
  }

  /** Notes, before the build, the groups that former ones were in. @throws SvcError build_caps_unavailable */
  async prepare(): Promise<void> {
    const { cgroups, known } = this.#options;
    const refusal = await cgroups.refusal();
    if (refusal !== undefined) return this.#fail(refusal);
    for (const group of known.values()) await this.#cap(group, 1);
  }

  /**
   * Caps the groups of the instructions that run at this moment.
   * @param isInstructionRunning as the engine tells
   * @returns the processes in them
   * @throws SvcError build_caps_unavailable, build_out_of_memory
   */
  async look(isInstructionRunning: boolean): Promise<number[]> {
    const { cgroups, processes, known } = this.#options;
    const found = await Promise.all((await processes.find()).map((process) => cgroups.find(process)));
    const groups = new Map(found.flatMap((group) => (group ? [[group.paths.memory, group] as const] : [])));
    for (const [path, group] of groups) {
      if (group.isShared) known.set(path, group);
      await this.#cap(group, groups.size);
    }
    this.#isAnyHeld ||= groups.size > 0;
    this.#isShared ||= [...groups.values()].some((group) => group.isShared);
    this.#requireFound(groups.size > 0 || this.#isShared || !isInstructionRunning);
    if (groups.size > 1) await this.#requireMemory([...groups.values()]);
    return (await Promise.all([...groups.values()].map((group) => cgroups.processes(group)))).flat();
  }

  /** Instructions with groups of their own share processors and processes evenly; what they take of memory is added up. */
  async #cap(group: Cgroup, sharers: number): Promise<void> {
    const { caps, cgroups } = this.#options;
    const share = {
      memoryBytes: caps.memoryBytes,
      cpuMillis: Math.ceil(caps.cpuMillis / sharers),
      pids: Math.ceil(caps.pids / sharers),
    };
    const held = this.#held.get(group.paths.memory);
    if (held?.cpuMillis === share.cpuMillis && held.pids === share.pids) return;
    const reasons = await cgroups.cap(group, share);
    // Its instruction has ended meanwhile.
    if (!group.isShared && (await cgroups.processes(group)).length === 0) return;
    if (reasons.length > 0) return this.#fail([...new Set(reasons)].join("; "));
    this.#held.set(group.paths.memory, share);
  }

  #requireFound(isFound: boolean): void {
    if (isFound) this.#unseenSince = undefined;
    else this.#unseenSince ??= performance.now();
    if (this.#unseenSince === undefined || performance.now() - this.#unseenSince < FOUND_MS_MAX) return;
    this.#fail("none of its processes can be seen by the agent, which must run on the engine's own host");
  }

  async #requireMemory(groups: readonly Cgroup[]): Promise<void> {
    const { caps, cgroups } = this.#options;
    const sizes = await Promise.all(groups.map((group) => cgroups.memoryBytes(group)));
    if (sizes.reduce((sum, size) => sum + size, 0) <= caps.memoryBytes) return;
    throw new SvcError(
      "build_out_of_memory",
      `The build was ended: its ${groups.length} instructions that ran at the same time used more than the ` +
        `${Math.round(caps.memoryBytes / 1024 ** 2)} MiB of memory that builds may use. Let fewer stages run at once.`,
    );
  }

  #fail(reason: string): void {
    const { areRequired, log } = this.#options;
    if (areRequired) throw capsUnavailable(reason);
    if (!this.#warned.has(reason)) log.warn({ reason }, "builds are not held to their caps on this host");
    this.#warned.add(reason);
  }
}

function capsUnavailable(reason: string): SvcError {
  return new SvcError(
    "build_caps_unavailable",
    `This server builds nothing, since it can't hold builds to their caps of memory, processors and processes: ${reason}. ` +
      "Whoever runs this service can run the agent as root on the engine's host, with writable control groups " +
      "(/sys/fs/cgroup), or set SVC_BUILD_CAPS=off to build without caps.",
  );
}
