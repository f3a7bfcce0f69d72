import { posix } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import type { FileTree } from "@svc/shared/frameworks/repository/file-tree.ts";
import { chooseAppFolder, type AppFolder } from "@svc/shared/spec/app-folder.ts";
import {
  describeProblem,
  parseDeploySpec,
  SPEC_FILES,
  SpecError,
  type DeploySpec,
} from "@svc/shared/spec/deploy-spec.ts";

/** The commit's own settings. */
export interface SpecFile {
  /** Its path in the repository. */
  file: string;
  spec: DeploySpec;
}

/** The step's output lists the mistakes beyond these. */
const PROBLEMS_IN_SENTENCE_MAX = 10;

/**
 * The folder that is built, and the spec file that counts for it.
 * @param root what was set for the app
 * @throws SvcError invalid_request, naming the place of each mistake
 */
export function findAppFolder(files: FileTree, root: string | undefined): AppFolder<SpecFile> {
  return chooseAppFolder((folder) => readSpecFile(files, folder), root);
}

function readSpecFile(files: FileTree, folder: string): SpecFile | undefined {
  const names = files.list(folder);
  const [file, ...others] = SPEC_FILES.filter((name) => names.includes(name)).map((name) => posix.join(folder, name));
  if (file === undefined) return undefined;
  if (others.length > 0) {
    const all = [file, ...others].join(" and ");
    throw new SvcError("invalid_request", `The repository has ${all}; it may have one spec file. Remove the others.`);
  }
  const text = files.read(file);
  if (text === undefined) {
    throw new SvcError("invalid_request", `${file} is not a file of the repository, so that it cannot be read.`);
  }
  return { file, spec: parsed(file, text) };
}

function parsed(file: string, text: string): DeploySpec {
  try {
    return parseDeploySpec(file, text);
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    const lines = error.problems.map((problem) => describeProblem(file, problem));
    const shown = lines.slice(0, PROBLEMS_IN_SENTENCE_MAX);
    const rest = lines.length > shown.length ? [`… and ${lines.length - shown.length} more.`] : [];
    const message = [`The spec file cannot be used. Correct it, commit and push:`, ...shown, ...rest].join("\n");
    throw new SvcError("invalid_request", message, { cause: error });
  }
}

/** Major version of the PostgreSQL that the file's service asks for. */
export function databaseVersion({ services }: DeploySpec): string | undefined {
  return Object.values(services)[0]?.version;
}
