import type { StepOutput } from "../../ports.ts";

/** The result of an ADD's fetch: a file, or a folder. */
export interface Addition {
  kind: "file" | "folder";
  /** The name of a file, as an ADD gives it, when its target is a folder. */
  name: string;
  /** The path below the folder of its build. */
  path: string;
  bytes: number;
  /** The path with its folders. */
  files: number;
  /** Two additions with the same one are the same. */
  digest: string;
  modifiedAt: Date;
}

/** Limits that all additions of a build share. */
export interface AdditionLimits {
  bytesMax: number;
  filesMax: number;
}

/** Where one addition is fetched to. */
export interface FetchPlace {
  path: string;
  /** The part that the others have left. */
  left: AdditionLimits;
  output: StepOutput;
  signal: AbortSignal;
}

export const ADDITION_LIMITS: AdditionLimits = {
  // Beyond it lie data sets, which belong on a volume; a browser or a JDK has a third of it.
  bytesMax: 1024 ** 3,
  // This is as many as a repository that is deployed may have.
  filesMax: 200_000,
};

export const ADDED_IN_ALL = "All that a build adds may have 1 GiB and 200,000 files together.";
