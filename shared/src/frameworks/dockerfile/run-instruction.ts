/**
 * A RUN instruction that gives a user's command to a shell as it is, however many lines it has.
 *
 * @param options such as `--mount=…`
 */
export function runInstruction(command: string, options = ""): string {
  return `RUN ${options === "" ? "" : `${options} `}${JSON.stringify(["/bin/sh", "-c", command])}`;
}

/**
 * A mount that keeps a package manager's downloads between builds of one app, and of no other.
 *
 * @param sharing `locked` where two stages of a build, which run at the same time, must not write to it together
 */
export function cacheMount(
  appId: string,
  name: string,
  target: string,
  sharing: "shared" | "locked" = "shared",
): string {
  return `--mount=type=cache,id=${appId}-${name},target=${target}${sharing === "locked" ? ",sharing=locked" : ""}`;
}

/** A COPY from the context that takes paths as they are, whatever characters they hold. */
export function copyInstruction(paths: readonly string[], to: string): string {
  const words = [...paths, to];
  return `COPY ${words.every((word) => /^[\w./@+-]+$/.test(word)) ? words.join(" ") : JSON.stringify(words)}`;
}

/** The word as a shell reads it back. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
