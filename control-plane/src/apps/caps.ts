import { cpusText, memoryText } from "@svc/shared/spec/caps.ts";
import { CPU_MILLIS, cpuMillis, MEMORY_BYTES, memoryBytes } from "@svc/shared/spec/resources.ts";
import type { Tier } from "../accounts/tier.ts";
import { invalid, quoted } from "../platform/invalid.ts";

/**
 * Checks a cap on an app's memory.
 * @param text such as "512m" or "1g"
 * @returns it in mebibytes: "512m"
 * @throws SvcError invalid_request naming what is allowed
 */
export function checkMemory(text: string, { memoryBytes: max }: Pick<Tier, "memoryBytes">): string {
  const bytes = memoryBytes(text);
  const [least, most] = [memoryText(MEMORY_BYTES.min), memoryText(max)];
  if (bytes === undefined || bytes > max) {
    throw invalid(
      `The property memory is ${quoted(text)}: it must be a text such as "512m" or "1g", from ${least} to your tier's ${most}.`,
    );
  }
  return memoryText(bytes);
}

/**
 * Checks a cap on an app's CPUs.
 * @param text such as "0.5" or "2"
 * @throws SvcError invalid_request naming what is allowed
 */
export function checkCpus(text: string, { cpuMillis: max }: Pick<Tier, "cpuMillis">): string {
  const millis = cpuMillis(text);
  const [least, most] = [cpusText(CPU_MILLIS.min), cpusText(max)];
  if (millis === undefined || millis > max) {
    throw invalid(
      `The property cpus is ${quoted(text)}: it must be a text such as "0.5" or "2", from ${least} to your tier's ${most}.`,
    );
  }
  return cpusText(millis);
}
