import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Installation } from "./installation.ts";

/** The state that a quickstart keeps for the next one; the file is for its owner alone (it holds the API key). */
export interface Memory {
  apiKey?: string;
  /** The sample repositories keep their address. */
  gitPort?: number;
  /** Values of the label `svc.server`: what --reset removes from the engine. */
  serverIds?: string[];
}

export function readMemory(installation: Installation): Memory {
  const file = memoryFile(installation);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Memory) : {};
}

export function remember(installation: Installation, changes: Memory): void {
  const file = memoryFile(installation);
  mkdirSync(installation.directory, { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, `${JSON.stringify({ ...readMemory(installation), ...changes }, undefined, 2)}\n`, {
    mode: 0o600,
    flush: true,
  });
  renameSync(`${file}.new`, file);
}

function memoryFile(installation: Installation): string {
  return join(installation.directory, "quickstart.json");
}
