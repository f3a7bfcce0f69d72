import { cpusText, memoryText } from "@svc/shared/spec/caps.ts";
import { CPU_MILLIS, cpuMillis, MEMORY_BYTES, memoryBytes } from "@svc/shared/spec/resources.ts";
import type { Tier } from "../accounts/tier.ts";
import { invalid, quoted } from "../platform/invalid.ts";

/** A cap on an app's container, as it is read and written. */
interface Cap {
  property: string;
  examples: string;
  read(text: string): number | undefined;
  write(value: number): string;
  min: number;
}

const MEMORY: Cap = {
  property: "memory",
  examples: '"512m" or "1g"',
  read: memoryBytes,
  write: memoryText,
  min: MEMORY_BYTES.min,
};
const CPUS: Cap = { property: "cpus", examples: '"0.5" or "2"', read: cpuMillis, write: cpusText, min: CPU_MILLIS.min };

/**
 * Checks a cap on an app's memory.
 * @param text such as "512m" or "1g"
 * @returns it in mebibytes: "512m"
 * @throws SvcError invalid_request naming what is allowed
 */
export function checkMemory(text: string, { memoryBytes: max }: Pick<Tier, "memoryBytes">): string {
  return check(MEMORY, text, max);
}

/**
 * Checks a cap on an app's CPUs.
 * @param text such as "0.5" or "2"
 * @throws SvcError invalid_request naming what is allowed
 */
export function checkCpus(text: string, { cpuMillis: max }: Pick<Tier, "cpuMillis">): string {
  return check(CPUS, text, max);
}

function check({ property, examples, read, write, min }: Cap, text: string, max: number): string {
  const value = read(text);
  if (value !== undefined && value <= max) return write(value);
  throw invalid(
    `The property ${property} is ${quoted(text)}: it must be a text such as ${examples}, from ${write(min)} to your tier's ${write(max)}.`,
  );
}
