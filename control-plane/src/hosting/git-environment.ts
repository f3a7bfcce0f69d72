/** 100 MiB: what one push may bring; sources are far smaller, and larger files belong elsewhere. */
export const PUSH_BYTES_MAX = 100 * 1024 * 1024;

/** Of the machine's, for whatever git starts. */
const PATH = process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin";

/**
 * The whole environment of a git process of the host, made from nothing: no configuration of the machine or of a user,
 * no hooks, no clean-up behind our back, and what is pushed is checked and bounded.
 */
export function gitEnvironment(variables: Readonly<Record<string, string>> = {}): Record<string, string> {
  const pairs = Object.entries(CONFIGURATION);
  const env: Record<string, string> = {
    PATH,
    HOME: "/nonexistent",
    XDG_CONFIG_HOME: "/nonexistent",
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
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
  // Every push stays one pack: nothing is unpacked into thousands of files, and no clean-up is needed for long.
  "receive.unpackLimit": "1",
  "gc.auto": "0",
  "maintenance.auto": "false",
  // The agent finds a short SHA among the commits alone.
  "uploadpack.allowFilter": "true",
  // A clone is served beside the API, so it gets one core and little memory.
  "pack.threads": "1",
  "pack.windowMemory": "64m",
} as const;
