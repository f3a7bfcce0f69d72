import { resolve } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import { checkoutFiles } from "@svc/shared/frameworks/repository/checkout-files.ts";
import type { FileTree } from "@svc/shared/frameworks/repository/file-tree.ts";
import type { BuildPlan } from "@svc/shared/frameworks/framework.ts";
import { dockerfileOf, folderPlan, planFolder, type FolderPlan } from "@svc/shared/frameworks/plan-folder.ts";
import { signsOfFrameworks } from "@svc/shared/frameworks/plan-build.ts";
import type { DeploySpec } from "@svc/shared/spec/deploy-spec.ts";
import { CliError, EXIT } from "../output/cli-error.ts";
import type { Invocation } from "../command-line/command.ts";
import { answerOf, openService } from "../api/client.ts";
import { findAppFolder, givenRoot } from "../project/spec-file.ts";

/** Says what a deploy would make of a folder, which needs no account and no network, or of a repository by its address. */
export async function plan(invocation: Invocation): Promise<void> {
  const [place = "."] = invocation.args;
  await (/^\w+:\/\//.test(place) ? planRepository(invocation, place) : planOfFolder(invocation, place));
}

async function planRepository(invocation: Invocation, repo_url: string): Promise<void> {
  const service = await openService(invocation);
  const root = givenRoot(invocation);
  const body = { repo_url, ...(root === undefined ? {} : { root }) };
  const value = await answerOf(service, service.rest.POST("/api/plan", { body }));
  const { dockerfile } = value;
  invocation.terminal.result(value, planText(value, "text" in dockerfile ? dockerfile.text : undefined));
}

async function planOfFolder({ dir, flags, terminal }: Invocation, place: string): Promise<void> {
  const folder = resolve(dir, place);
  const { root, file: found } = findAppFolder({ dir: folder, flags });
  const files = checkoutFiles(folder);
  const made = planOrExplain(files, found?.spec, root);
  const value = folderPlan(files, made, { root, file: found });
  terminal.result(value, planText(value, dockerfileOf(files, made)));
}

/** @param text of the Dockerfile, where it is known */
function planText(plan: FolderPlan, text: string | undefined): string {
  const { framework, reason, port, start, notes, services, root, spec_file, dockerfile } = plan;
  const own = "path" in dockerfile ? ` (the repository's own ${dockerfile.path})` : "";
  return [
    ...(root === "" ? [] : [`Folder     ${root}`]),
    `Framework  ${framework}: ${reason}`,
    `Port       ${port}`,
    `Start      ${start ?? "as the base image says"}`,
    ...services.map(({ name, version }) => `Database   PostgreSQL ${version} (${name})`),
    `Spec file  ${spec_file ?? "none; `svc init` writes one"}`,
    ...notes.map((note) => `Note       ${note}`),
    ...(text === undefined ? [`Dockerfile ${own.trim()}`] : ["", `Dockerfile${own}:`, "", text.trimEnd()]),
  ].join("\n");
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
