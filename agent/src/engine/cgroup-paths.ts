import { access } from "node:fs/promises";
import { join } from "node:path";

/** Where the kernel shows its control groups. */
export const CGROUP_ROOT = "/sys/fs/cgroup";

export type Controller = "memory" | "cpu" | "pids";

/** Whether all controllers share one hierarchy (cgroup v2) or have one each. */
export function isUnifiedHierarchy(root: string): Promise<boolean> {
  return access(join(root, "cgroup.controllers")).then(
    () => true,
    () => false,
  );
}

export function groupDirectory(root: string, isUnified: boolean, controller: Controller, path: string): string {
  return isUnified ? join(root, path) : join(root, controller, path);
}

/** Reads a process's `cgroup` file: lines of `id:controllers:path`, with no controllers for the unified hierarchy. */
export function parseCgroups(text: string, isUnified: boolean): Partial<Record<Controller, string>> {
  const lines = [...text.matchAll(/^\d+:([^:]*):(.*)$/gm)].map(([, names = "", path = ""]) => ({ names, path }));
  const pathOf = (controller: Controller): string | undefined =>
    lines.find(({ names }) => (isUnified ? names === "" : names.split(",").includes(controller)))?.path;
  return { memory: pathOf("memory"), cpu: pathOf("cpu"), pids: pathOf("pids") } as Partial<Record<Controller, string>>;
}
