const UP: ReadonlySet<string> = new Set(["running", "restarting", "paused"]);

/** Whether a container in this state of the engine's runs, or is about to run again by itself. */
export function isUp(state: string): boolean {
  return UP.has(state);
}
