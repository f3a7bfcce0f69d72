import { posix } from "node:path";
import { isPublicKey } from "../rules/env-key.ts";
import type { DeploySpec } from "../spec/deploy-spec.ts";
import { parseStartCommand } from "../spec/start-command.ts";
import type { BuildPlan } from "./framework.ts";
import { planBuild } from "./plan-build.ts";
import type { FileTree } from "./repository/file-tree.ts";

/** Caches are an app's; a plan that nobody builds has none. */
const NO_APP = "00000000-0000-0000-0000-000000000000";

/** The build that a deploy would make of a folder, for a person who decides. */
export interface FolderPlan {
  /** The name that the spec file gives; null without one. */
  name: string | null;
  framework: string;
  /** How the framework was recognised: "`express` in dependencies". */
  reason: string;
  port: number;
  /** The command that starts the app; null where the base image says it. */
  start: string | null;
  /** The path of the repository's own, or the text of the generated one. */
  dockerfile: BuildPlan["dockerfile"];
  /** Notes for the user, a sentence each. */
  notes: readonly string[];
  /** The folder that is built; empty for the top. */
  root: string;
  /** Its path; null when there is none. */
  spec_file: string | null;
  /** The databases that the spec file asks for, with their major versions of PostgreSQL. */
  services: readonly { name: string; version: string }[];
  /** Names of the variables that the spec file says the app reads. */
  env: readonly string[];
}

/**
 * The build of a folder as it would be without settings of an app.
 * @throws SvcError framework_unknown, invalid_request
 */
export function planFolder(files: FileTree, spec: DeploySpec | undefined, root = ""): BuildPlan {
  return planBuild(files, spec?.framework, {
    appId: NO_APP,
    root,
    port: spec?.port,
    buildEnvKeys: (spec?.env ?? []).filter(isPublicKey),
    build: spec?.build,
    start: spec?.start === undefined ? undefined : parseStartCommand(spec.start),
  });
}

/** The plan in words, from what `planFolder` and the reader of spec files have found. */
export function folderPlan(
  files: FileTree,
  build: BuildPlan,
  { root, file }: { root: string; file: { file: string; spec: DeploySpec } | undefined },
): FolderPlan {
  const { framework, reason, port, dockerfile, notes } = build;
  return {
    name: file?.spec.name ?? null,
    framework,
    reason,
    port,
    start: file?.spec.start ?? startOf(dockerfileOf(files, build)),
    dockerfile,
    notes,
    root,
    spec_file: file?.file ?? null,
    services: Object.entries(file?.spec.services ?? {}).map(([name, { version }]) => ({ name, version })),
    env: file?.spec.env ?? [],
  };
}

export function dockerfileOf(files: FileTree, { dockerfile, context = "" }: BuildPlan): string {
  return "path" in dockerfile ? (files.read(posix.join(context, dockerfile.path)) ?? "") : dockerfile.text;
}

/** The last CMD or ENTRYPOINT, as words. */
export function startOf(dockerfile: string): string | null {
  const lines = dockerfile.replaceAll(/\\\r?\n/g, " ").split("\n");
  const [last] = lines.filter((line) => /^\s*(CMD|ENTRYPOINT)\s/i.test(line)).slice(-1);
  if (last === undefined) return null;
  const text = last.trim().replace(/^\w+\s+/, "");
  try {
    const words: unknown = JSON.parse(text);
    if (!Array.isArray(words)) return text;
    const [shell, flag, line] = words as unknown[];
    if (shell === "/bin/sh" && flag === "-c" && typeof line === "string") return line;
    return words.map((word) => (/^[\w@%+=:,./-]+$/.test(String(word)) ? String(word) : JSON.stringify(word))).join(" ");
  } catch {
    return text;
  }
}
