import { posix, resolve } from "node:path";
import { checkoutFiles } from "@svc/shared/checkout-files.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { isPublicKey } from "@svc/shared/frameworks/build-env.ts";
import type { FileTree } from "@svc/shared/frameworks/file-tree.ts";
import type { BuildPlan } from "@svc/shared/frameworks/framework.ts";
import { planBuild } from "@svc/shared/frameworks/plan-build.ts";
import type { DeploySpec } from "@svc/shared/spec/deploy-spec.ts";
import { parseStartCommand } from "@svc/shared/spec/start-command.ts";
import { CliError, EXIT } from "../cli-error.ts";
import type { Invocation } from "../command.ts";
import { findAppFolder } from "../project/spec-file.ts";

/** Caches are an app's; a plan that nobody builds has none. */
const NO_APP = "00000000-0000-0000-0000-000000000000";

/** Says what a deploy would make of a folder. Needs no account and no network. */
export async function plan({ args, dir, flags, terminal }: Invocation): Promise<void> {
  const folder = resolve(dir, args[0] ?? ".");
  const { root, file: found } = findAppFolder({ dir: folder, flags });
  const files = checkoutFiles(folder);
  const made = planFolder(files, found?.spec, root);
  const dockerfile = dockerfileOf(files, made);
  const start = found?.spec.start ?? startOf(dockerfile);
  const { framework, reason, port, notes } = made;
  const value = {
    framework,
    reason,
    port,
    start,
    dockerfile: made.dockerfile,
    notes,
    root,
    spec_file: found?.file ?? null,
  };
  const own = "path" in made.dockerfile ? ` (the repository's own ${made.dockerfile.path})` : "";
  terminal.result(
    value,
    [
      ...(root === "" ? [] : [`Folder     ${root}`]),
      `Framework  ${framework}: ${reason}`,
      `Port       ${port}`,
      `Start      ${start ?? "as the base image says"}`,
      `Spec file  ${found?.file ?? "none; `svc init` writes one"}`,
      ...notes.map((note) => `Note       ${note}`),
      "",
      `Dockerfile${own}:`,
      "",
      dockerfile.trimEnd(),
    ].join("\n"),
  );
}

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
