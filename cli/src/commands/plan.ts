import { resolve } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import { checkoutFiles } from "@svc/shared/frameworks/repository/checkout-files.ts";
import type { FileTree } from "@svc/shared/frameworks/repository/file-tree.ts";
import type { BuildPlan } from "@svc/shared/frameworks/framework.ts";
import { dockerfileOf, folderPlan, planFolder } from "@svc/shared/frameworks/plan-folder.ts";
import { signsOfFrameworks } from "@svc/shared/frameworks/plan-build.ts";
import type { DeploySpec } from "@svc/shared/spec/deploy-spec.ts";
import { CliError, EXIT } from "../output/cli-error.ts";
import type { Invocation } from "../command-line/command.ts";
import { findAppFolder } from "../project/spec-file.ts";

/** Says what a deploy would make of a folder. Needs no account and no network. */
export async function plan({ args, dir, flags, terminal }: Invocation): Promise<void> {
  const folder = resolve(dir, args[0] ?? ".");
  const { root, file: found } = findAppFolder({ dir: folder, flags });
  const files = checkoutFiles(folder);
  const made = planOrExplain(files, found?.spec, root);
  const value = folderPlan(files, made, { root, file: found });
  const { framework, reason, port, start, notes, services } = value;
  const own = "path" in made.dockerfile ? ` (the repository's own ${made.dockerfile.path})` : "";
  terminal.result(
    value,
    [
      ...(root === "" ? [] : [`Folder     ${root}`]),
      `Framework  ${framework}: ${reason}`,
      `Port       ${port}`,
      `Start      ${start ?? "as the base image says"}`,
      ...services.map(({ name, version }) => `Database   PostgreSQL ${version} (${name})`),
      `Spec file  ${found?.file ?? "none; `svc init` writes one"}`,
      ...notes.map((note) => `Note       ${note}`),
      "",
      `Dockerfile${own}:`,
      "",
      dockerfileOf(files, made).trimEnd(),
    ].join("\n"),
  );
}

/** @throws CliError framework_unknown, with what is looked for */
function planOrExplain(files: FileTree, spec: DeploySpec | undefined, root: string): BuildPlan {
  try {
    return planFolder(files, spec, root);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    if (error.code !== "framework_unknown") throw new CliError(error.code, error.message, EXIT.usage);
    const lines = [
      `Looked for ${root === "" ? "at the root" : `in ${root}`}:`,
      ...signsOfFrameworks().map((sign) => `  ${sign}`),
    ];
    throw new CliError(error.code, [error.message, ...lines].join("\n"), EXIT.usage);
  }
}
