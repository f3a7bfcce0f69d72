import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@svc/shared/platform/clock.ts";
import { Redactors } from "@svc/shared/redaction/redactors.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import type { ContainerState, Engine, LogLine } from "../ports.ts";
import { createSerializer } from "../platform/serialize.ts";
import { AppStore, type AppStoreTuning, type StoredSegment } from "./app-store.ts";
import { keptFrom } from "./bounds.ts";
import { NOTHING_READ, type Progress, readContainer } from "./read-container.ts";
import { openNow } from "./scan.ts";
import { type LogFindings, type LogSearch, type SearchedFile, searchFiles, type SearchOptions } from "./search.ts";
import { SearchTurns } from "./search-turns.ts";
import { isPlatformEnvKey } from "@svc/shared/rules/env-key.ts";

/** A container's log is read in milliseconds; an engine that hangs holds up one round of one container. */
const READ_MS_MAX = 10_000;
/** A search does not read again what a round has just read. Milliseconds. */
const FRESH_MS = 5_000;
/** An engine that hangs holds up a search for no longer; then only stored lines are found. */
const REFRESH_MS_MAX = 5_000;
/** Secrets are remembered of so many containers; those of others are asked for again. */
const SECRETS_MAX = 2_000;
/** The notices of an app between two rounds; an app that ends again and again makes one a second. */
const NOTICES_MAX = 50;
/** Sentences about an app come at most moments after its purge; no more apps are purged meanwhile. */
const REMOVED_MAX = 1_000;

interface Options {
  directory: string;
  engine: Pick<Engine, "list" | "linesSince" | "environment">;
  clock: Clock;
  tuning?: AppStoreTuning;
}

interface CollectOptions {
  isLast?: boolean;
  signal?: AbortSignal;
}

/**
 * Keeps what apps have written, beyond the life of their containers; see control-plane/decisions/030. Calls for one app wait for
 * one another.
 */
export class LogStore {
  /** All searches of logs on this host take turns. */
  readonly turns = new SearchTurns();
  /** The redactors of containers and of searches. */
  readonly redactors = new Redactors();
  readonly #options: Options;
  readonly #serialize = createSerializer();
  readonly #apps = new Map<string, AppStore>();
  readonly #secrets = new Map<string, readonly string[]>();
  /** Lines of the platform that wait for the next round, by app. */
  readonly #notices = new Map<string, LogLine[]>();
  /** Apps that were purged last: no sentence about one is kept, unless it writes again. */
  readonly #removed = new Set<string>();
  /** The time at which an app's containers were read last, in milliseconds since 1970. */
  readonly #readAt = new Map<string, number>();
  /** Nothing is stored meanwhile: the disk has no room. */
  isPaused = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Stores a line of the platform with the app's next ones. */
  note(appId: string, line: LogLine): void {
    if (this.#removed.has(appId)) return;
    this.#notices.set(appId, [...(this.#notices.get(appId) ?? []), line].slice(-NOTICES_MAX));
  }

  /**
   * Stores what containers of one app have written since the last call. What could be read is stored, also when another
   * container's log could not.
   * @param isLast they are about to be removed
   * @param signal ends reading
   * @returns how many lines
   * @throws Error of the engine or of the file system; nothing is lost by it that the engine still has
   */
  collect(
    appId: string,
    containers: readonly ContainerState[],
    { isLast = false, signal }: CollectOptions = {},
  ): Promise<number> {
    return this.#serialize(appId, async () => {
      const store = this.#storeOf(appId);
      const notices = this.#notices.get(appId) ?? [];
      const lines: LogLine[] = [...notices];
      const read: Record<string, Progress> = {};
      let failure: unknown;
      for (const { id } of containers) {
        const before = (await store.progressOf(id)) ?? NOTHING_READ;
        try {
          const found = await this.#read(id, before, isLast, signal);
          lines.push(...found.lines);
          this.#removed.delete(appId);
          if (found.progress.cursor !== before.cursor) read[id] = found.progress;
        } catch (error) {
          failure ??= error;
        }
      }
      if (lines.length > 0 || Object.keys(read).length > 0) {
        // Each container's lines are in order; those of several meet here.
        await store.append(
          lines.toSorted((a, b) => a.time.getTime() - b.time.getTime()),
          read,
        );
        // Others have come meanwhile.
        const left = (this.#notices.get(appId) ?? []).filter((line) => !notices.includes(line));
        if (left.length > 0) this.#notices.set(appId, left);
        else this.#notices.delete(appId);
      }
      if (containers.length > 0) this.#readAt.set(appId, this.#options.clock.now().getTime());
      await store.closeWhenDue(this.#options.clock.now());
      if (failure !== undefined) throw failure;
      return lines.length;
    });
  }

  /** Stores what an app has written up to now, as far as it can: not while the disk is short, nor moments after a round. */
  async refresh(appId: string, signal: AbortSignal): Promise<void> {
    const age = this.#options.clock.now().getTime() - (this.#readAt.get(appId) ?? -Infinity);
    if (this.isPaused || (age >= 0 && age < FRESH_MS)) return;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(REFRESH_MS_MAX)]);
    try {
      const containers = await this.#options.engine.list({ appId, role: "app" });
      if (containers.length > 0) await this.collect(appId, containers, { signal: limit });
    } catch {
      // While the engine does not answer, what is stored is found.
      signal.throwIfAborted();
    }
  }

  /**
   * Searches what is stored of an app, as far back as lines are kept: a segment goes with its last line.
   * @throws Error of the file system; the signal's reason
   */
  async search(appId: string, search: LogSearch, options: SearchOptions): Promise<LogFindings> {
    const files = await this.#ofStored<SearchedFile>(appId, async (store) => {
      const segments = await store.segments();
      // The open segment may be closed, and so removed, before it is read.
      return segments.map((segment) => (segment.isCompressed ? segment : opened(segment)));
    });
    const from = keptFrom(this.#options.clock.now());
    return searchFiles(files, { ...search, since: from > search.since ? from : search.since }, options);
  }

  /** Oldest first. */
  segments(appId: string): Promise<StoredSegment[]> {
    return this.#ofStored(appId, (store) => store.segments());
  }

  async appIds(): Promise<string[]> {
    return (await readdir(this.#options.directory).catch(() => [])).filter(isId);
  }

  /** Removes segments of an app. */
  async removeSegments(appId: string, paths: readonly string[]): Promise<void> {
    await this.#serialize(appId, () => this.#storeOf(appId).remove(paths));
  }

  /** Forgets an app that was purged. Idempotent. */
  async remove(appId: string): Promise<void> {
    await this.#serialize(appId, async () => {
      await rm(this.#directoryOf(appId), { recursive: true, force: true });
      this.#apps.delete(appId);
      this.#notices.delete(appId);
      this.#readAt.delete(appId);
      this.#removed.add(appId);
      const [oldest] = this.#removed;
      if (this.#removed.size > REMOVED_MAX) this.#removed.delete(oldest!);
    });
  }

  async #read(
    id: string,
    before: Progress,
    isLast: boolean,
    stopping: AbortSignal | undefined,
  ): Promise<{ lines: LogLine[]; progress: Progress }> {
    const { engine, clock } = this.#options;
    const redactor = this.redactors.of(await this.#secretsOf(id));
    const limit = AbortSignal.timeout(READ_MS_MAX);
    const signal = stopping ? AbortSignal.any([limit, stopping]) : limit;
    return readContainer(id, before, { engine, redactor, now: clock.now(), isLast, signal });
  }

  async #secretsOf(id: string): Promise<readonly string[]> {
    const known = this.#secrets.get(id);
    if (known) return known;
    const secrets = containerSecrets(await this.#options.engine.environment(id));
    const [oldest] = this.#secrets.keys();
    if (this.#secrets.size >= SECRETS_MAX && oldest !== undefined) this.#secrets.delete(oldest);
    this.#secrets.set(id, secrets);
    return secrets;
  }

  /** Does the work with the app's store, where there is one. */
  #ofStored<T>(appId: string, work: (store: AppStore) => Promise<T[]>): Promise<T[]> {
    return this.#serialize(appId, async () => {
      return (await this.appIds()).includes(appId) ? work(this.#storeOf(appId)) : [];
    });
  }

  #storeOf(appId: string): AppStore {
    const store = this.#apps.get(appId) ?? new AppStore(this.#directoryOf(appId), this.#options.tuning);
    this.#apps.set(appId, store);
    return store;
  }

  #directoryOf(appId: string): string {
    if (!isId(appId)) throw new Error(`${JSON.stringify(appId)} is no app's id`);
    return join(this.#options.directory, appId);
  }
}

function opened(segment: StoredSegment): SearchedFile {
  return { ...segment, fd: openNow(segment.path) };
}

/** All that its owner has given a container, and the passwords within: a driver may print one without its URL. */
function containerSecrets(env: Readonly<Record<string, string>>): string[] {
  const values = Object.entries(env).flatMap(([key, value]) => (isPlatformEnvKey(key) ? [] : [value]));
  return [...values, ...values.flatMap(passwordsIn)];
}

/** The user and the password in the authority of a URL (RFC 3986, section 3.2.1), which ends with its last `@`. */
const PASSWORD = /^\s*[a-z][a-z0-9+.-]*:\/\/[^:/?#]*:([^/?#]+)@/i;

/** The password of a URL, as it is written there and as it is. */
function passwordsIn(value: string): string[] {
  const password = PASSWORD.exec(value)?.[1];
  if (password === undefined) return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    // A percent sign that begins no code stands for itself.
    return [password];
  }
}
