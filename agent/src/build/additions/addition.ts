import type { StepOutput } from "../../ports.ts";

/** What an ADD has fetched: a file, or a folder. */
export interface Addition {
  kind: "file" | "folder";
  /** Of a file: as an ADD names it, when its target is a folder. */
  name: string;
  /** Below the folder of its build. */
  path: string;
  bytes: number;
  /** With its folders. */
  files: number;
  /** Two additions with the same one are the same. */
  digest: string;
  modifiedAt: Date;
}

/** What the additions of a build may have together. */
export interface AdditionLimits {
  bytesMax: number;
  filesMax: number;
}

/** Where one addition is fetched to. */
export interface FetchPlace {
  path: string;
  /** What the others have left. */
  left: AdditionLimits;
  output: StepOutput;
  signal: AbortSignal;
}

export const ADDITION_LIMITS: AdditionLimits = {
  // Beyond it lie data sets, which belong on a volume; a browser or a JDK has a third of it.
  bytesMax: 1024 ** 3,
  // As many as a repository that is deployed may have.
  filesMax: 200_000,
};

export const ADDED_IN_ALL = "What a build adds may have 1 GiB and 200,000 files in all.";
