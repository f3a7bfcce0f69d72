import type { FileTree } from "./repository/file-tree.ts";
import type { BuildPlan, PlanInput } from "./framework.ts";
import { planBuild } from "./plan-build.ts";

/** Makes a repository of these files for tests, path → text. */
export function fileTree(files: Readonly<Record<string, string>>): FileTree {
  const list = (folder = ""): string[] => {
    const prefix = folder === "" ? "" : `${folder.replace(/\/$/, "")}/`;
    const inside = Object.keys(files).filter((path) => path.startsWith(prefix));
    return [...new Set(inside.map((path) => path.slice(prefix.length).replace(/\/.*/s, "/")))];
  };
  return { list, read: (path) => files[path] };
}

/** Plans these files for tests, by detection unless a framework is named. */
export function planOf(
  files: Readonly<Record<string, string>>,
  { framework, ...input }: Partial<PlanInput> & { framework?: string } = {},
): BuildPlan & { text: string } {
  const nothing = { appId: TEST_APP_ID, port: undefined, buildEnvKeys: [], build: undefined, start: undefined };
  const plan = planBuild(fileTree(files), framework, { ...nothing, ...input });
  return { ...plan, text: "text" in plan.dockerfile ? plan.dockerfile.text : "" };
}

export const TEST_APP_ID = "0190f0a0-0000-7000-8000-000000000001";
