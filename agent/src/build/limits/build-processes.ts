import { readFile, readlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { listKernelFolder, readKernelFile } from "../../platform/kernel-files.ts";

/** An instruction (RUN) of a build, while its processes are there. */
export interface BuildProcess {
  /** BuildKit's; the name of its control group ends with it. */
  id: string;
  /** One of its processes. */
  pid: number;
}

/** A process runs the same program after this many looks: it has executed its program by then. */
const LOOKS_UNTIL_KNOWN = 2;

/**
 * Finds the instructions that an engine runs at this moment by its `runc run --bundle <data>/buildkit/executor/<id> <id>`,
 * which is the parent of each. Processes of containers are never taken for one: they choose their own arguments.
 */
export class BuildProcesses {
  readonly #bundles: string;
  readonly #processes: string;
  /** How often each process was looked at, and was something else. */
  #looks = new Map<number, number>();

  constructor(engineDirectory: string, processes = "/proc") {
    this.#bundles = join(engineDirectory, "buildkit/executor");
    this.#processes = processes;
  }

  async find(): Promise<BuildProcess[]> {
    const pids = listKernelFolder(this.#processes).map(Number).filter(Number.isInteger);
    const looks = new Map(pids.map((pid) => [pid, this.#looks.get(pid) ?? 0]));
    this.#looks = looks;
    const unknown = pids.filter((pid) => (looks.get(pid) ?? 0) < LOOKS_UNTIL_KNOWN);
    const found = await Promise.all(
      unknown.map(async (pid) => {
        const id = await this.#idOfRunner(pid);
        if (id !== undefined) return this.#childrenOf(pid).map((child) => ({ id, pid: child }));
        looks.set(pid, (looks.get(pid) ?? 0) + 1);
        return [];
      }),
    );
    return found.flat();
  }

  /** Returns the build that the process runs; undefined when it is none of the engine's. */
  async #idOfRunner(pid: number): Promise<string | undefined> {
    // Is in the process's own memory, whose lock it may hold: no other work waits for that.
    const commandLine = await readFile(this.#path(pid, "cmdline"), "utf8").catch(() => "");
    const argv = commandLine.split("\0");
    const bundle = argv[argv.indexOf("--bundle") + 1] ?? "";
    const id = basename(bundle);
    if (!argv.includes("run") || bundle !== join(this.#bundles, id)) return undefined;
    const [own, its] = await Promise.all(["self", pid].map((process) => this.#namespaceOf(process)));
    return own !== "" && own === its ? id : undefined;
  }

  /** Each thread has children of its own; none for a process that has ended. */
  #childrenOf(pid: number): number[] {
    const threads = listKernelFolder(this.#path(pid, "task"));
    const lists = threads.map((thread) => readKernelFile(this.#path(pid, "task", thread, "children")));
    return lists.join(" ").split(/\s+/).filter(Boolean).map(Number);
  }

  /**
   * Reads the namespace of process ids, of which each container has its own. Empty for a process that this user may not
   * look at.
   */
  #namespaceOf(process: number | string): Promise<string> {
    return readlink(this.#path(process, "ns/pid")).catch(() => "");
  }

  #path(process: number | string, ...names: string[]): string {
    return join(this.#processes, String(process), ...names);
  }
}
