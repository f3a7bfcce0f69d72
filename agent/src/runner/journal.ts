import { mkdir, open, readdir, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { syncDirectory } from "@svc/shared/platform/sync-directory.ts";
import { isErrno } from "../platform/durable-file.ts";
import { endInterrupted, formatHeader, inspectRunFile } from "./journal-file.ts";
import { RunJournal, type RunKey } from "./journal-run.ts";
import type { AppRef } from "../ports.ts";

/** This is enough to look back at for a day of many deploys; each is bounded in turn. */
const DEPLOYS_KEPT = 50;

/**
 * The journal keeps what the steps of the newest deploys said and how they ended, on disk under
 * `<data>/journal/<deploy>/`.
 */
export interface Journal {
  /** The run, whether it goes on or has ended. */
  find(key: RunKey): Promise<RunJournal | undefined>;
  /** A new run. `onWriteError` is called when the disk refuses an event. */
  begin(key: RunKey, app: AppRef, onWriteError: (error: unknown) => void): Promise<RunJournal>;
  /** Removes what a finished deploy's journal holds of secrets: the result of `provision_db`. */
  forgetSecrets(deployId: string): Promise<void>;
}

interface Options {
  dataDirectory: string;
  clock: Clock;
  log: Logger;
}

/** Opens the journal; runs that an earlier process left without a result get `interrupted` as their last event. */
export async function openJournal({ dataDirectory, clock, log }: Options): Promise<Journal> {
  const root = join(dataDirectory, "journal");
  await mkdir(root, { recursive: true, mode: 0o700 });
  /** Runs that this process began, by path; those that ended go when the next one begins. */
  const began = new Map<string, RunJournal>();
  const pathOf = ({ deployId, step, run }: RunKey): string => join(root, deployId, `${step}-${run}.jsonl`);

  await repair(root, clock, log);
  await prune(root, []);

  return {
    async find(key) {
      const path = pathOf(key);
      return began.get(path) ?? (await load(path, key, clock));
    },

    async begin(key, app, onWriteError) {
      for (const [path, run] of began) if (run.result) began.delete(path);
      const path = pathOf(key);
      const header = formatHeader({ app });
      const file = await create(path, header);
      const size = Buffer.byteLength(header);
      const run = new RunJournal({
        key,
        app,
        path,
        clock,
        size,
        lastNumber: 0n,
        file,
        result: undefined,
        onWriteError,
      });
      began.set(path, run);
      await prune(
        root,
        [...began.values()].map((each) => each.key.deployId),
      );
      return run;
    },

    async forgetSecrets(deployId) {
      for (const run of [1, 2]) {
        const path = pathOf({ deployId, step: "provision_db", run });
        began.delete(path);
        await rm(path, { force: true });
      }
    },
  };
}

/**
 * The run's file with its header, open for writing. A full disk leaves none, so that the run can be asked for again; one
 * that a crash left without a whole header is replaced.
 */
async function create(path: string, header: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if (await isWithoutHeader(path)) await rm(path);
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(header);
    await file.sync();
    await syncDirectory(dirname(path));
    return file;
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
}

async function isWithoutHeader(path: string): Promise<boolean> {
  try {
    return (await inspectRunFile(path)) === undefined;
  } catch (error) {
    if (isErrno(error, "ENOENT")) return false;
    throw error;
  }
}

async function load(path: string, key: RunKey, clock: Clock): Promise<RunJournal | undefined> {
  try {
    let file = await inspectRunFile(path);
    if (file && !file.result) {
      // It is not among those of this process, so it has ended and a full disk has refused its last event.
      await endInterrupted(path, file, clock);
      file = await inspectRunFile(path);
    }
    if (!file?.result) return undefined;
    const { header, size, lastNumber, result } = file;
    const ended = { file: undefined, onWriteError: () => undefined };
    return new RunJournal({ key, app: header.app, path, clock, size, lastNumber, result, ...ended });
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Gives every run an end. A file that can't be read is removed: it would block its run for ever. */
async function repair(root: string, clock: Clock, log: Logger): Promise<void> {
  for (const deployId of await readdir(root)) {
    for (const path of await runFiles(join(root, deployId))) {
      try {
        const run = await inspectRunFile(path);
        if (run?.result) continue;
        if (run) await endInterrupted(path, run, clock);
        else await rm(path);
        log.warn({ deploy: deployId, path }, run ? "a run was interrupted" : "a run never began");
      } catch (error) {
        log.error({ deploy: deployId, path, err: error }, "removed a journal that can't be read");
        await rm(path, { force: true });
      }
    }
  }
}

async function runFiles(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => name.endsWith(".jsonl")).map((name) => join(directory, name));
  } catch (error) {
    if (isErrno(error, "ENOENT") || isErrno(error, "ENOTDIR")) return [];
    throw error;
  }
}

/** Keeps the DEPLOYS_KEPT newest deploys, and those in use. */
async function prune(root: string, inUse: readonly string[]): Promise<void> {
  const deploys = await readdir(root);
  if (deploys.length <= DEPLOYS_KEPT) return;
  const dated = await Promise.all(deploys.map(async (id) => ({ id, at: (await stat(join(root, id))).mtimeMs })));
  dated.sort((a, b) => b.at - a.at);
  for (const { id } of dated.slice(DEPLOYS_KEPT)) {
    if (!inUse.includes(id)) await rm(join(root, id), { recursive: true, force: true });
  }
}
