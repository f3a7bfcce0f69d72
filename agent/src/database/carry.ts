import { dirname } from "node:path";
import type { Clock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { GRACE_SECONDS } from "@svc/shared/rules/stop-grace.ts";
import type { AppRef, ContainerState, Engine } from "../ports.ts";
import { DATABASE_DIRECTORY, databaseContainer } from "./container.ts";
import { readyDatabases } from "./databases.ts";
import { COLLATION, COUNT_ROWS, PSQL_ARGV, REINDEX } from "./statements.ts";

/** Carries an app's PostgreSQL from one host to another, through whoever reads the one and writes the other. */

export interface CarryContext {
  engine: Engine;
  clock: Clock;
}

/** Stops the app's PostgreSQL and gives its files, as a tar archive: with those the other one has all that it knows. */
export async function* exportDatabases({ engine }: CarryContext, app: AppRef): AsyncGenerator<Uint8Array> {
  const { id } = await findContainer(engine, app);
  await engine.stop(id, GRACE_SECONDS.database);
  yield* engine.archive(id, DATABASE_DIRECTORY);
}

/** Takes those files, in the place of any that are there. The PostgreSQL that they are for is not started. */
export async function importDatabases(
  { engine }: CarryContext,
  app: AppRef,
  { version, archive }: { version: string; archive: AsyncIterable<Uint8Array> },
): Promise<void> {
  await engine.ensureNetwork(app);
  await engine.makeFrom(databaseContainer(app, version), { path: dirname(DATABASE_DIRECTORY), archive });
}

export interface DatabaseDescription {
  /** The content of the app's databases by numbers, sorted. */
  lines: string[];
  collation: string;
}

/**
 * @param from the collation of the host that the files come from: where this host's is another, indexes are built anew first
 * @throws SvcError not_found, database_not_ready
 */
export async function describeDatabases(
  ctx: CarryContext,
  app: AppRef,
  from = "",
  signal?: AbortSignal,
): Promise<DatabaseDescription> {
  const container = await findContainer(ctx.engine, app);
  const names = await readyDatabases(ctx, container);
  if (!names) throw new SvcError("database_not_ready", `The database of ${app.name} does not start on this server.`);
  const [collation = ""] = await query(ctx.engine, container, { name: "postgres", script: COLLATION, signal });
  const lines: string[] = [];
  for (const name of names) {
    if (from !== "" && from !== collation) await query(ctx.engine, container, { name, script: REINDEX, signal });
    lines.push(`database ${name}`);
    for (const line of await query(ctx.engine, container, { name, script: COUNT_ROWS, signal }))
      lines.push(`${name} ${line}`);
  }
  return { lines: lines.toSorted(), collation };
}

async function findContainer(engine: Engine, app: AppRef): Promise<ContainerState> {
  const [container] = await engine.list({ appId: app.id, role: "database" });
  if (container) return container;
  throw new SvcError("not_found", `The app ${app.name} has no database on this server.`);
}

/** A line of some 60 bytes for each table and each sequence. */
const OUTPUT_BYTES_MAX = 8 * 1024 * 1024;

function tooMuch(appName: string): SvcError {
  return new SvcError(
    "database_dump_failed",
    `The databases of ${appName} have more tables and sequences than a move can compare: carry them by hand.`,
  );
}

/** The lines that the script puts out in that database. */
async function query(
  engine: Engine,
  { id, appName }: ContainerState,
  { name, script, signal }: { name: string; script: string; signal: AbortSignal | undefined },
): Promise<string[]> {
  // Any other name than a plain word could be read as a connection string; in quotes it is a name.
  const quoted = `dbname='${name.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const argv = [...PSQL_ARGV, "--tuples-only", "--no-align", `--dbname=${quoted}`];
  const output: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of engine.execStream(id, argv, script)) {
    signal?.throwIfAborted();
    bytes += chunk.length;
    if (bytes > OUTPUT_BYTES_MAX) throw tooMuch(appName);
    output.push(chunk);
  }
  const lines = Buffer.concat(output).toString("utf8").split("\n");
  return lines.filter((line) => line !== "");
}
