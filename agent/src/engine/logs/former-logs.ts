import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isId } from "@svc/shared/rules/ids.ts";
import { LINES_BEFORE } from "@svc/shared/rules/log-line.ts";
import { parseFileLines, toFileLine } from "./log-file-line.ts";
import { DRAFT_SUFFIX, isErrno } from "../../platform/durable-file.ts";
import type { ContainerState, LogLine } from "../../ports.ts";

/** This is as many as the API shows of a log, and those before them. */
export const FORMER_LINES_MAX = 500 + LINES_BEFORE;
/** The limit of one container: its lines then have a kilobyte each. */
export const FORMER_BYTES_MAX = 512 * 1024;
/** The newest containers of one app: together 5 MiB, a hundredth of what an app may take of the disk. */
export const FORMER_CONTAINERS_MAX = 10;
/** This is as long as the control plane keeps what a deploy's steps said. */
const FORMER_DAYS_MAX = 14;

/** Which container's log. */
export type FormerLogOf = { deployId: string } | { release: string };

/**
 * The end of what containers wrote that were removed, a file each: `<app>/<deploy>.<container>.<release>`. Of the release it
 * is the SHA-256, since its name may hold what a file's name may not, and be longer.
 */
export class FormerLogs {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Keeps the newest lines of a container, instead of what was kept of it before, and forgets the app's oldest. */
  async keep(container: ContainerState, lines: readonly LogLine[]): Promise<void> {
    const { id, appId, deployId, release } = container;
    if (deployId === undefined || release === undefined) return;
    const directory = this.directoryOf(appId);
    const path = join(directory, `${deployId}.${id.slice(0, 12)}.${digestOf(release)}`);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    try {
      await writeFile(path + DRAFT_SUFFIX, newest(lines), { mode: 0o600 });
      await rename(path + DRAFT_SUFFIX, path);
    } catch (error) {
      await rm(path + DRAFT_SUFFIX, { force: true });
      throw error;
    }
    const former = await this.#newestFirst(appId);
    for (const { path: old } of former.slice(FORMER_CONTAINERS_MAX)) await rm(old, { force: true });
  }

  /** The last lines of the newest such container, oldest first; undefined when none is kept. */
  async read(appId: string, of: FormerLogOf, lines: number): Promise<LogLine[] | undefined> {
    const isWanted = (name: string): boolean =>
      "deployId" in of ? name.startsWith(`${of.deployId}.`) : name.endsWith(`.${digestOf(of.release)}`);
    const found = (await this.#newestFirst(appId)).find(({ name }) => isWanted(name));
    return found && parseFileLines(await readFile(found.path, "utf8")).slice(-lines);
  }

  /** Forgets an app that was purged. Idempotent. */
  async remove(appId: string): Promise<void> {
    await rm(this.directoryOf(appId), { recursive: true, force: true });
  }

  /** Forgets what was kept for its time, of apps that are gone too. */
  async prune(now: Date): Promise<void> {
    for (const appId of (await namesIn(this.#directory)).filter(isId)) {
      for (const { path, keptAt } of await this.#newestFirst(appId)) {
        if (now.getTime() - keptAt > FORMER_DAYS_MAX * 24 * 60 * 60_000) await rm(path, { force: true });
      }
    }
  }

  /** Whether anything of the app is kept. */
  isThere(appId: string): boolean {
    return existsSync(this.directoryOf(appId));
  }

  directoryOf(appId: string): string {
    if (!isId(appId)) throw new Error(`${JSON.stringify(appId)} is no app's id`);
    return join(this.#directory, appId);
  }

  async #newestFirst(appId: string): Promise<{ name: string; path: string; keptAt: number }[]> {
    const directory = this.directoryOf(appId);
    const names = (await namesIn(directory)).filter((name) => !name.endsWith(DRAFT_SUFFIX));
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(directory, name);
        return { name, path, keptAt: (await stat(path).catch(() => undefined))?.mtimeMs ?? 0 };
      }),
    );
    return files.toSorted((a, b) => b.keptAt - a.keptAt);
  }
}

function newest(lines: readonly LogLine[]): string {
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines.slice(-FORMER_LINES_MAX).toReversed().map(toFileLine)) {
    bytes += Buffer.byteLength(line);
    if (bytes > FORMER_BYTES_MAX) break;
    kept.unshift(line);
  }
  return kept.join("");
}

function digestOf(release: string): string {
  return createHash("sha256").update(release).digest("base64url");
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: unknown) => {
    if (isErrno(error, "ENOENT")) return [];
    throw error;
  });
}
