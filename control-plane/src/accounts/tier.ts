import { isRecord, requireJson } from "@svc/shared/json.ts";
import { cpuMillis as cpuMillisOf, memoryBytes as memoryBytesOf } from "@svc/shared/spec/resources.ts";
import { invalid, quoted } from "../platform/invalid.ts";
import { DEFAULT_WRITE_RATE, type Rate } from "./rate.ts";

/** The limits of a tier. */
export interface Tier {
  /** Apps at most, soft-stopped ones included. */
  apps: number;
  /** Cap of an app's container. */
  memoryBytes: number;
  /** Thousandths of a CPU. */
  cpuMillis: number;
  /** Mutating requests of one user. */
  writes: Rate;
  /** The rate of requests that change nothing; null for no limit. */
  reads: Rate | null;
}

export type Tiers = Readonly<Record<string, Tier>>;

const MIB = 1024 * 1024;

const DEFAULT_RATES = { writes: DEFAULT_WRITE_RATE, reads: null } as const;

/** The tiers without a tiers file; the caps grow with the number of apps that are paid for. */
export const DEFAULT_TIERS: Tiers = {
  free: { apps: 3, memoryBytes: 512 * MIB, cpuMillis: 1_000, ...DEFAULT_RATES },
  pro: { apps: 25, memoryBytes: 1024 * MIB, cpuMillis: 2_000, ...DEFAULT_RATES },
  team: { apps: 250, memoryBytes: 2048 * MIB, cpuMillis: 4_000, ...DEFAULT_RATES },
};

export const DEFAULT_TIER = "free";

/** The tier of that name. One that the configuration no longer has allows what the smallest one allows. */
export function tierOf(tiers: Tiers, name: string): Tier {
  const tier = tiers[name];
  if (tier) return tier;
  const [smallest] = Object.values(tiers).sort((a, b) => a.apps - b.apps);
  return smallest ?? DEFAULT_TIERS[DEFAULT_TIER]!;
}

/** @throws SvcError invalid_request */
export function checkTier(tiers: Tiers, tier: string): void {
  if (!Object.hasOwn(tiers, tier)) {
    throw invalid(`There is no tier ${quoted(tier)}: use one of ${Object.keys(tiers).join(", ")}.`);
  }
}

/**
 * Reads the file that SVC_TIERS_FILE names: `{"free": {"apps": 3, "memory": "512m", "cpus": "1"}}`,
 * and, where writes are not limited as specified, `"writes_per_minute": 60, "write_burst": 30`; where reads are limited
 * at all, `"reads_per_minute": 600, "read_burst": 100`.
 * @throws Error with a sentence that names the tier and the property
 */
export function parseTiers(text: string): Tiers {
  const document: unknown = requireJson(text);
  if (!isRecord(document) || Object.keys(document).length === 0)
    throw new Error("it must be a JSON object with one property a tier");
  return Object.fromEntries(Object.entries(document).map(([name, value]) => [name, parseTier(name, value)]));
}

const PROPERTIES = ["apps", "memory", "cpus", "writes_per_minute", "write_burst", "reads_per_minute", "read_burst"];

function parseTier(name: string, value: unknown): Tier {
  if (!isRecord(value)) throw new Error(`tier ${name} must be an object with apps, memory and cpus`);
  const unknown = Object.keys(value).find((key) => !PROPERTIES.includes(key));
  if (unknown !== undefined)
    throw new Error(`tier ${name} has an unknown property ${unknown}; allowed are ${PROPERTIES.join(", ")}`);
  const { apps, memory, cpus } = value;
  if (typeof apps !== "number" || !Number.isInteger(apps) || apps < 0) {
    throw new Error(`apps of tier ${name} must be a whole number from 0`);
  }
  const memoryBytes = typeof memory === "string" ? memoryBytesOf(memory) : undefined;
  if (memoryBytes === undefined)
    throw new Error(`memory of tier ${name} must be a text such as "512m" or "1g", at least "16m"`);
  const cpuMillis = typeof cpus === "string" ? cpuMillisOf(cpus) : undefined;
  if (cpuMillis === undefined)
    throw new Error(`cpus of tier ${name} must be a text such as "0.5" or "2", at least "0.01"`);
  return { apps, memoryBytes, cpuMillis, writes: parseWriteRate(name, value), reads: parseReadRate(name, value) };
}

function parseWriteRate(name: string, tier: Record<string, unknown>): Rate {
  const { perMinute, burst } = DEFAULT_WRITE_RATE;
  const { writes_per_minute = perMinute, write_burst = burst } = tier;
  return parseRate(name, { writes_per_minute, write_burst });
}

function parseReadRate(name: string, tier: Record<string, unknown>): Rate | null {
  const { reads_per_minute, read_burst } = tier;
  if (reads_per_minute === undefined && read_burst === undefined) return null;
  return parseRate(name, { reads_per_minute, read_burst });
}

/** @param properties the rate a minute, then the burst */
function parseRate(tier: string, properties: Record<string, unknown>): Rate {
  const counts = Object.entries(properties).map(([property, count]) => {
    if (!isCount(count)) throw new Error(`${property} of tier ${tier} must be a whole number from 1`);
    return count;
  });
  return { perMinute: counts[0]!, burst: counts[1]! };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
}
