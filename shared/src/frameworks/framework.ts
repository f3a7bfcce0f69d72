import type { StartCommand } from "../spec/start-command.ts";
import type { FileTree } from "./repository/file-tree.ts";
import type { Workspace } from "./node/workspace/workspace.ts";

/** Facts that are known beside the files. */
export interface PlanInput {
  /** UUID; part of the names of cache mounts, so that no app reads another's cache. */
  appId: string;
  /** The folder of the repository that is built; its top when omitted. */
  root?: string;
  /** That the folder is a package of. */
  workspace?: Workspace | undefined;
  /** The user's choice; else declared or the framework's default. */
  port: number | undefined;
  /** Names of the variables for the build; all with a public prefix. */
  buildEnvKeys: readonly string[];
  /** The command that replaces the framework's build command. */
  build: string | undefined;
  /** The command that replaces the framework's start command. */
  start: StartCommand | undefined;
}

/** A folder that the image takes from the build, so that its absence can be explained. */
export interface BuildOutput {
  /** The path in the build's file system. */
  path: string;
  /** Why it is expected there, as a sentence without its full stop. */
  rule: string;
}

/** How an app becomes an image. */
export interface BuildPlan {
  framework: string;
  /** How it was recognised, for the step's output: "`express` in dependencies". */
  reason: string;
  /** The folder of the repository that is the build's context; its top when absent or empty. */
  context?: string;
  /** The context's own file, or a generated one. */
  dockerfile: { path: string } | { text: string };
  port: number;
  /** Files that the build has to make. */
  outputs?: readonly BuildOutput[];
  /** Notes for the user, a sentence each. */
  notes: readonly string[];
}

/** A framework that apps are recognised as; one file each, listed in table.ts. */
export interface Framework {
  /** The value of `framework` in the API and the spec file. */
  name: string;
  /** How to say in a list what it is recognised by: "a package.json with `express` in its dependencies". */
  recognisedBy: string;
  /** Why the files are of this framework, in words; undefined when they are not. */
  recognise(files: FileTree): string | undefined;
  /**
   * The reason why the `web` line of a Procfile does not start the app, a sentence; absent where the line starts the
   * app.
   */
  ignoresProcfile?: string;
  /** @throws SvcError framework_unknown when the files lack what this framework needs */
  plan(files: FileTree, input: PlanInput): Omit<BuildPlan, "framework" | "reason">;
}
