import { FETCH_BOUNDS, PUSH_BYTES_MAX, type GitBounds } from "./git-bounds.ts";

/** The machine's PATH, for programs that git starts. */
const PATH = process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin";

/**
 * The whole environment of a git process of the host, made from nothing: no configuration of the machine or of a user,
 * no hooks, no clean-up behind our back, and what is pushed is checked and bounded.
 */
export function gitEnvironment(
  variables: Readonly<Record<string, string>> = {},
  { allocationBytes, streamedBytesMin }: GitBounds = FETCH_BOUNDS,
): Record<string, string> {
  const pairs = Object.entries({ ...CONFIGURATION, "core.bigFileThreshold": String(streamedBytesMin) });
  const env: Record<string, string> = {
    PATH,
    HOME: "/nonexistent",
    XDG_CONFIG_HOME: "/nonexistent",
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ALLOC_LIMIT: String(allocationBytes),
    GIT_CONFIG_COUNT: String(pairs.length),
    ...variables,
  };
  pairs.forEach(([key, value], index) => {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return env;
}

const CONFIGURATION = {
  // Folders that a backup restored may belong to another user than the one that runs us.
  "safe.directory": "*",
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "http.receivepack": "true",
  "receive.maxInputSize": String(PUSH_BYTES_MAX),
  "receive.fsckObjects": "true",
  "receive.autogc": "false",
  // Every push stays one pack, until the repository's upkeep: nothing is unpacked into thousands of files.
  "receive.unpackLimit": "1",
  "gc.auto": "0",
  "maintenance.auto": "false",
  // The agent finds a short SHA among the commits alone; filters that cost more than they save are refused.
  "uploadpack.allowFilter": "true",
  "uploadpackfilter.allow": "false",
  "uploadpackfilter.tree.allow": "true",
  "uploadpackfilter.tree.maxDepth": "0",
  "uploadpackfilter.blob:none.allow": "true",
  // A clone is served beside the API, so it gets one core and little memory.
  "pack.threads": "1",
  "pack.windowMemory": "64m",
  "pack.deltaCacheSize": "32m",
  "core.deltaBaseCacheLimit": "64m",
  // git would map packs whole, and a gigabyte at a time: windows keep it within its address space.
  "core.packedGitWindowSize": "16m",
  "core.packedGitLimit": "128m",
  // They save processor time for clones of large histories, and cost memory with every repack.
  "repack.writeBitmaps": "false",
} as const;
