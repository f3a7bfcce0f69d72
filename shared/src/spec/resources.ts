const MIB = 1024 * 1024;

/** Memory in a spec file: mebibytes or gibibytes. */
export const MEMORY = /^[0-9]+(m|g)$/;
export const CPUS = /^[0-9]+(\.[0-9]+)?$/;

/** Nothing that serves runs in less, and the engine itself refuses under 6 MiB. The most is what no host has. */
export const MEMORY_BYTES = { min: 16 * MIB, max: 1024 ** 4 };
export const CPU_MILLIS = { min: 10, max: 512_000 };

/** Bytes of "512m" or "1g"; undefined when it is none, or less or more than a container can have. */
export function memoryBytes(text: string): number | undefined {
  const unit = MEMORY.exec(text)?.[1];
  const bytes = Number.parseInt(text, 10) * (unit === "g" ? 1024 * MIB : MIB);
  return unit !== undefined && bytes >= MEMORY_BYTES.min && bytes <= MEMORY_BYTES.max ? bytes : undefined;
}

/** Thousandths of a CPU of "0.5" or "2"; undefined when it is none, or less or more than a container can have. */
export function cpuMillis(text: string): number | undefined {
  const millis = CPUS.test(text) ? Math.round(Number(text) * 1_000) : 0;
  return millis >= CPU_MILLIS.min && millis <= CPU_MILLIS.max ? millis : undefined;
}

/**
 * How many copies of an app may run at the same time. Two releases side by side, and what else is on an app's network in a
 * cluster, have room in its addresses.
 */
export const REPLICAS = { min: 1, max: 20 } as const;
