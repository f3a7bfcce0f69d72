import { setTimeout as delay } from "node:timers/promises";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import type Docker from "dockerode";
import { z } from "zod";
import type { Host } from "../../ports.ts";
import { diskShortage } from "../../platform/disk-shortage.ts";
import type { BuildWatermarks } from "./build-watermarks.ts";
import { engineMessage } from "../../engine/errors.ts";

/** BuildKit frees 1.4 GB in 1 s; a full disk of slower files takes some more. */
const FREED_MS_MAX = 20_000;
/** A look at the engine's cache takes some 10 ms, more on a host with many images. */
const LOOK_MS = 250;

interface Leftovers {
  docker: Docker;
  /** Why the build ended. */
  reason: unknown;
  /** When the build that ended was begun. Milliseconds since the epoch. */
  begunAt: number;
  host: Host;
  /** The directories that the engine and the agent write to. */
  directories: readonly string[];
  watermarks: BuildWatermarks;
  log: Logger;
}

/**
 * Frees what a build left that ended for want of disk, or while it is short, so that the next one finds its room. BuildKit
 * frees the instructions that were cut short by itself, a moment later, and keeps those that were done.
 */
export async function freeLeftovers(leftovers: Leftovers): Promise<void> {
  const { docker, reason, begunAt, log } = leftovers;
  const isFull = reason instanceof SvcError && reason.code === "disk_full";
  if (!isFull && !(await isDiskShort(leftovers))) return;
  const deadline = performance.now() + FREED_MS_MAX;
  try {
    // BuildKit still holds on to some for a moment.
    while ((await pruneMadeSince(docker, begunAt)) > 0 && performance.now() < deadline) await delay(LOOK_MS);
  } catch (error) {
    log.warn({ reason: engineMessage(error) }, "what a build left on the full disk could not be removed");
  }
  while ((await isDiskShort(leftovers)) && performance.now() < deadline) await delay(LOOK_MS);
}

async function isDiskShort({ host, directories, watermarks }: Leftovers): Promise<boolean> {
  const shortages = await Promise.all(
    directories.map((directory) => diskShortage(host, directory, watermarks).catch(() => undefined)),
  );
  return shortages.some((shortage) => shortage !== undefined);
}

const Usage = z.object({
  BuildCache: z
    .array(
      z.object({
        ID: z.string().regex(/^[a-z0-9]+$/),
        Type: z.string(),
        CreatedAt: z.coerce.date(),
        LastUsedAt: z.coerce.date().nullish(),
      }),
    )
    .nullish(),
});

/**
 * Records of the build cache that came after that time: builds have one turn after another. A cache mount is its app's
 * alone, so that one which the build has used was filled by it. The newest first: a record that others rest on stays.
 * @returns how many there were
 */
async function pruneMadeSince(docker: Docker, begunAt: number): Promise<number> {
  // Engines from API 1.42 on then count nothing else, which takes long.
  const usage = await call(docker, "GET", "/system/df?", { type: "build-cache" });
  const isOfBuild = ({ Type, CreatedAt, LastUsedAt }: Record): boolean =>
    CreatedAt.getTime() >= begunAt || (Type === "exec.cachemount" && (LastUsedAt?.getTime() ?? 0) >= begunAt);
  const records = (Usage.parse(usage).BuildCache ?? []).filter(isOfBuild);
  const newestFirst = records.toSorted((a, b) => b.CreatedAt.getTime() - a.CreatedAt.getTime());
  for (const { ID } of newestFirst) await prune(docker, ID);
  return records.length;
}

type Record = NonNullable<z.infer<typeof Usage>["BuildCache"]>[number];

/** Only this one: dockerode's own `pruneBuilder` ignores its options and removes the cache of all apps. */
async function prune(docker: Docker, id: string): Promise<void> {
  await call(docker, "POST", "/build/prune?", { all: true, filters: JSON.stringify({ id: [`^${id}$`] }) });
}

function call(docker: Docker, method: string, path: string, query: object): Promise<unknown> {
  const statusCodes = { 200: true, 400: "bad request", 500: "server error" };
  return new Promise((resolve, reject) => {
    docker.modem.dial(
      { path, method, options: { _query: query, _body: {} }, statusCodes },
      (error: Error | null, answer: unknown) => (error ? reject(error) : resolve(answer)),
    );
  });
}
