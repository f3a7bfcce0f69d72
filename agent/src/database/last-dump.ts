import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import { POSTGRES_MAJOR_DEFAULT } from "@svc/shared/rules/postgres-versions.ts";
import { GRACE_SECONDS } from "@svc/shared/rules/stop-grace.ts";
import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { withinDiskRoom } from "../platform/disk-room.ts";
import { writeStreamDurably, type Written } from "../platform/durable-file.ts";
import { LAST_WATERMARKS } from "@svc/shared/rules/disk-watermarks.ts";
import type { AppRef, ContainerState, Engine, Host } from "../ports.ts";
import { DATABASE_DIRECTORY, DATABASE_PURPOSE, databaseContainer } from "./container.ts";
import { readyDatabases } from "./databases.ts";

/** How a dump in the custom format begins. */
const DUMP_MAGIC = "PGDMP";
/** A tar archive is made of blocks, and ends with two of zeros. */
const TAR_BLOCK_BYTES = 512;

export interface LastDumpContext {
  engine: Engine;
  host: Pick<Host, "disk">;
  /** The directory that dumps are kept in. */
  directory: string;
  clock: Clock;
  log: Logger;
}

/**
 * Keeps a last copy of the app's database as `<app name>-<app id>-<time>.dump` (pg_restore) or, where the database or
 * its pg_dump does not run, `.tar` (its data directory). It is on the disk, whole, when this resolves.
 * @returns the file; undefined when the app has no database
 * @throws SvcError database_dump_failed, engine_unavailable
 */
export async function keepLastDump(ctx: LastDumpContext, app: AppRef): Promise<string | undefined> {
  try {
    const container = await findDatabase(ctx, app);
    if (!container) return undefined;
    const time = ctx.clock
      .now()
      .toISOString()
      .replaceAll(/[-:]|\.\d+/g, "");
    const base = join(ctx.directory, `${app.name}-${app.id}-${time}`);
    const file = (await tryDump(ctx, container, `${base}.dump`)) ?? (await archiveFiles(ctx, container, `${base}.tar`));
    ctx.log.info({ app: app.name, file }, "kept a last dump of a database");
    return file;
  } catch (error) {
    if (error instanceof SvcError && error.code === "engine_unavailable") throw error;
    throw new SvcError(
      "database_dump_failed",
      `The last dump of the database of ${app.name} could not be made, so its data was not removed. Make sure that the ` +
        "server has enough free disk space, then purge the app again; the agent's log says more.",
      { cause: error },
    );
  }
}

/** A crash after the container was removed and before the volume was leaves a volume alone. */
async function findDatabase({ engine }: LastDumpContext, app: AppRef): Promise<ContainerState | undefined> {
  const [container] = await engine.list({ appId: app.id, role: "database" });
  if (container) return container;
  const volumes = await engine.volumes(app);
  return volumes.includes(DATABASE_PURPOSE) ? engine.run(databaseContainer(app, POSTGRES_MAJOR_DEFAULT)) : undefined;
}

/** Is undefined when the database or its pg_dump does not work: then its files are what can be kept. */
async function tryDump(ctx: LastDumpContext, container: ContainerState, file: string): Promise<string | undefined> {
  try {
    const names = await readyDatabases(ctx, container);
    // A name that is no plain word would be read as a connection string.
    if (names?.length !== 1 || !/^\w+$/.test(names[0]!) || !(await hasRightDumper(ctx, container))) return undefined;
    const argv = ["pg_dump", "--format=custom", "--no-password", "--host=/var/run/postgresql", "--username=postgres"];
    const stream = ctx.engine.execStream(container.id, [...argv, `--dbname=${names[0]}`]);
    await writeWhileRoom(ctx, file, stream, ({ head }) => head.toString("latin1").startsWith(DUMP_MAGIC));
    return file;
  } catch (error) {
    if (error instanceof SvcError && error.code === "engine_unavailable") throw error;
    ctx.log.warn({ err: error, container: container.id }, "no pg_dump of a database; its files are kept instead");
    return undefined;
  }
}

/** A newer one writes what the database's own version can't read. */
async function hasRightDumper({ engine }: LastDumpContext, { id, release }: ContainerState): Promise<boolean> {
  const { exitCode, output } = await engine.exec(id, ["pg_dump", "--version"], "");
  return exitCode === 0 && /PostgreSQL\) (\d+)/.exec(output)?.[1] === release;
}

async function archiveFiles(ctx: LastDumpContext, { id }: ContainerState, file: string): Promise<string> {
  const { engine } = ctx;
  await engine.stop(id, GRACE_SECONDS.database);
  const stream = engine.archive(id, DATABASE_DIRECTORY);
  await writeWhileRoom(ctx, file, stream, ({ bytes }) => bytes > 0 && bytes % TAR_BLOCK_BYTES === 0);
  return file;
}

/** A large database's copy must not take the last of the disk from those of others. */
async function writeWhileRoom(
  { host, directory }: LastDumpContext,
  file: string,
  stream: AsyncIterable<Buffer>,
  isWhole: (written: Written) => boolean,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const room = { host, directory, what: "a last dump of the database", watermarks: LAST_WATERMARKS };
  await withinDiskRoom(room, (untilFull) => writeStreamDurably(file, endedBy(untilFull, stream), isWhole));
}

async function* endedBy(signal: AbortSignal, stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    signal.throwIfAborted();
    yield chunk;
  }
}
