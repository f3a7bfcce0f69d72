import { SvcError } from "../errors.ts";

/** The most that a container may have; undefined where nothing limits it. */
export interface Caps {
  memoryBytes?: number | undefined;
  /** Thousandths of a CPU. */
  cpuMillis?: number | undefined;
}

/**
 * Refuses what asks for more than its owner's tier allows.
 *
 * @param file that asks for it
 * @throws SvcError invalid_request naming both values
 */
export function requireWithin(file: string, { memoryBytes, cpuMillis }: Caps, max: Caps): void {
  if (memoryBytes !== undefined && max.memoryBytes !== undefined && memoryBytes > max.memoryBytes) {
    throw tooMuch(file, "resources.memory", memoryText(memoryBytes), memoryText(max.memoryBytes));
  }
  if (cpuMillis !== undefined && max.cpuMillis !== undefined && cpuMillis > max.cpuMillis) {
    throw tooMuch(file, "resources.cpus", cpusText(cpuMillis), cpusText(max.cpuMillis));
  }
}

function tooMuch(file: string, property: string, asked: string, allowed: string): SvcError {
  return new SvcError(
    "invalid_request",
    `${file} asks for ${property} of ${asked}, and the owner's tier allows ${allowed}. Ask for ${allowed} or less.`,
  );
}

/** Writes bytes as a spec file does: "512m". */
export function memoryText(bytes: number): string {
  return `${Math.floor(bytes / 1024 ** 2)}m`;
}

/** Writes CPUs as a spec file does: "0.5". */
export function cpusText(millis: number): string {
  return `${millis / 1000}`;
}
