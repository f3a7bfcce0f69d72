import { posix } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import { isPublicKey } from "@svc/shared/rules/env-key.ts";
import type { FileTree } from "@svc/shared/frameworks/repository/file-tree.ts";
import type { BuildPlan } from "@svc/shared/frameworks/framework.ts";
import { planBuild } from "@svc/shared/frameworks/plan-build.ts";
import type { DeploySpec } from "@svc/shared/spec/deploy-spec.ts";
import { parseStartCommand } from "@svc/shared/spec/start-command.ts";
import { CliError, EXIT } from "../output/cli-error.ts";

/** Caches are an app's; a plan that nobody builds has none. */
const NO_APP = "00000000-0000-0000-0000-000000000000";

/** @throws CliError framework_unknown, with what was looked for */
export function planFolder(files: FileTree, spec: DeploySpec | undefined, root = ""): BuildPlan {
  try {
    return planBuild(files, spec?.framework, {
      appId: NO_APP,
      root,
      port: spec?.port,
      buildEnvKeys: (spec?.env ?? []).filter(isPublicKey),
      build: spec?.build,
      start: spec?.start === undefined ? undefined : parseStartCommand(spec.start),
    });
  } catch (error) {
    if (error instanceof SvcError) throw new CliError(error.code, error.message, EXIT.usage);
    throw error;
  }
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
