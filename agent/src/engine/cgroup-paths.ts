import { access } from "node:fs/promises";
import { join } from "node:path";

/** Where the kernel shows its control groups. */
export const CGROUP_ROOT = "/sys/fs/cgroup";

export type Controller = "memory" | "cpu" | "pids";

/** `cpuacct` counts the time on processors, which `cpu` does itself in cgroup v2. */
const CONTROLLERS = ["memory", "cpu", "cpuacct", "pids"] as const;

type AnyController = (typeof CONTROLLERS)[number];

/** Whether all controllers share one hierarchy (cgroup v2) or have one each. */
export function isUnifiedHierarchy(root: string): Promise<boolean> {
  return access(join(root, "cgroup.controllers")).then(
    () => true,
    () => false,
  );
}

export function groupDirectory(root: string, isUnified: boolean, controller: AnyController, path: string): string {
  return isUnified ? join(root, path) : join(root, controller, path);
}

/** Reads a process's `cgroup` file: lines of `id:controllers:path`, with no controllers for the unified hierarchy. */
export function parseCgroups(text: string, isUnified: boolean): Partial<Record<AnyController, string>> {
  const lines = [...text.matchAll(/^\d+:([^:]*):(.*)$/gm)].map(([, names = "", path = ""]) => ({ names, path }));
  const pathOf = (controller: AnyController): string | undefined =>
    lines.find(({ names }) => (isUnified ? names === "" : names.split(",").includes(controller)))?.path;
  return Object.fromEntries(CONTROLLERS.map((controller) => [controller, pathOf(controller)]));
}
