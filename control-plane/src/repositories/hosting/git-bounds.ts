/** Bounds of one git process; each process that it starts has the same for itself. */
export interface GitBounds {
  /** A larger object is refused when its header is read, before any of it is unpacked (GIT_ALLOC_LIMIT). */
  allocationBytes: number;
  /** Objects from this size on are streamed, and never stored as a difference to others (core.bigFileThreshold). */
  streamedBytesMin: number;
  /** Address space: what it allocates and what it maps of packs. */
  memoryBytes: number;
  processorSeconds: number;
  /** Most bytes of each file that it writes. */
  fileBytes: number;
  /** Time from its start until it and all that it has started are ended. */
  msMax: number;
}

const MIB = 1024 ** 2;

/** 100 MiB: what one push may bring; sources are far smaller, and larger files belong elsewhere. */
export const PUSH_BYTES_MAX = 100 * MIB;

/** How many refs one push may change: a mirror of a large project's branches and tags, and no flood. */
export const PUSH_COMMANDS_MAX = 1_000;

/** Every clone begins with the list of all refs, some 60 bytes each. */
export const REPOSITORY_REFS_MAX = 10_000;

/** Haves and wants of a repository with that many refs, many times over. */
export const FETCH_REQUEST_BYTES_MAX = 4 * MIB;

/** Most bytes of one repository on disk; with a push of the greatest size on top a disk of a few GB is still safe. */
export const REPOSITORY_BYTES_MAX = 1024 * MIB;

/** Most bytes of all of an owner's repositories: the sources of a full tier `team`, at 20 MiB each. */
export const OWNER_BYTES_MAX = 5 * 1024 * MIB;

/** A push or clone of the largest repository over a slow line; what takes longer hangs. */
export const GIT_MS_MAX = 10 * 60_000;

/**
 * A push is read by `index-pack`. Nothing is streamed, so that an object larger than a push may be is refused at its
 * header. Base, difference and result of the largest objects took 207 MB; 60 s unpack some 15 GB.
 */
export const PUSH_BOUNDS: GitBounds = {
  allocationBytes: PUSH_BYTES_MAX,
  streamedBytesMin: 1024 ** 4,
  memoryBytes: 512 * MIB,
  processorSeconds: 60,
  // The size of a push, and of the objects elsewhere in the repository that its differences are to.
  fileBytes: 2 * PUSH_BYTES_MAX,
  msMax: GIT_MS_MAX,
};

/** A clone sends what is packed already; its lists grow with the number of objects, 256 MiB being some 3 million. */
export const FETCH_BOUNDS: GitBounds = {
  allocationBytes: 256 * MIB,
  streamedBytesMin: 16 * MIB,
  memoryBytes: 768 * MIB,
  processorSeconds: 120,
  fileBytes: 2 * PUSH_BYTES_MAX,
  msMax: GIT_MS_MAX,
};

/**
 * The host's own commands touch a few hundred files at most. Four that hang end before the database ends the transaction
 * that waits for them (60 s, db/database.ts).
 */
export const OWN_BOUNDS: GitBounds = { ...FETCH_BOUNDS, processorSeconds: 10, msMax: 10_000 };

/** One repository at a time is packed anew; nobody waits for it. */
export const UPKEEP_BOUNDS: GitBounds = {
  ...FETCH_BOUNDS,
  processorSeconds: 300,
  fileBytes: 2 * REPOSITORY_BYTES_MAX,
  // Packing a repository of the largest size takes a processor some minutes.
  msMax: 15 * 60_000,
};

/**
 * The command that runs git within the bounds, as program and arguments. Requests of the API go before it, and where
 * memory runs out the kernel ends it before the control plane and the database (`nice`, `choom` and `prlimit` are
 * essential packages of Debian and Ubuntu).
 */
export function boundedGit(bounds: GitBounds, argv: readonly string[]): [program: string, argv: string[]] {
  const limits = [
    `--as=${bounds.memoryBytes}`,
    `--cpu=${bounds.processorSeconds}`,
    `--fsize=${bounds.fileBytes}`,
    // The memory of a git that hit a bound is of no use on the disk.
    "--core=0",
  ];
  return ["nice", ["-n", "10", "choom", "-n", "1000", "--", "prlimit", ...limits, "--", "git", ...argv]];
}
