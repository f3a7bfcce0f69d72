import { systemClock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { ProvisionDbRequest } from "./provision-db-request.ts";
import type { AppRef, ContainerState, Engine, StepOutput } from "../ports.ts";
import { connectAsRole } from "./connect-as-role.ts";
import { databaseContainer } from "./container.ts";
import { scramVerifier } from "./scram.ts";
import { provisioningScript, PSQL_ARGV } from "./statements.ts";

/** A first start with initdb takes 2 to 10 s, a recovery after a crash of the host up to a minute. */
const READY_SECONDS_MAX = 60;
const PAUSE_MS = 250;
const LOG_LINES_IN_ERROR = 20;

export interface ProvisionContext {
  engine: Engine;
  app: AppRef;
  output: StepOutput;
  signal: AbortSignal;
}

/**
 * The app's PostgreSQL with this role and these databases, made or found. Data that is there is never touched.
 * @throws SvcError database_not_ready, and what Engine.run throws
 */
export async function provisionDatabase(ctx: ProvisionContext, request: ProvisionDbRequest): Promise<void> {
  await refuseOtherVersion(ctx, request.version);
  ctx.output.progress(`starting PostgreSQL ${request.version}`);
  await ctx.engine.ensureNetwork(ctx.app);
  const container = await ctx.engine.run(databaseContainer(ctx.app, request.version), ctx.signal);
  if (container.state !== "running") await ctx.engine.start(container.id);
  ctx.output.progress("waiting for the database");
  await waitUntilReady(ctx, container, request);
  await ctx.engine.keepRunning(container.id);
}

async function refuseOtherVersion(ctx: ProvisionContext, version: string): Promise<void> {
  const existing = await findDatabase(ctx);
  if (existing === undefined || existing.release === version) return;
  throw otherVersion(existing.release ?? "of another version", version);
}

/** Major version of the app's PostgreSQL; undefined when it has none on this host. */
export async function findDatabaseVersion(ctx: Pick<ProvisionContext, "engine" | "app">): Promise<string | undefined> {
  return (await findDatabase(ctx))?.release;
}

async function findDatabase(ctx: Pick<ProvisionContext, "engine" | "app">): Promise<ContainerState | undefined> {
  const [database] = await ctx.engine.list({ appId: ctx.app.id, role: "database" });
  return database;
}

async function waitUntilReady(
  ctx: ProvisionContext,
  container: ContainerState,
  request: ProvisionDbRequest,
): Promise<void> {
  const databaseNames = [request.databaseName, ...request.further];
  const script = provisioningScript({ databaseNames, role: request.role, verifier: scramVerifier(request.password) });
  const deadline = Date.now() + READY_SECONDS_MAX * 1000;
  let lastProblem = "";
  while (Date.now() < deadline) {
    ctx.signal.throwIfAborted();
    await refuseExited(ctx, request.version);
    const problem = await tryProvision(ctx, container, script, request);
    if (problem === undefined) return;
    lastProblem = problem;
    await systemClock.sleep(PAUSE_MS, ctx.signal);
  }
  throw new SvcError(
    "database_not_ready",
    `The app's database did not become ready within ${READY_SECONDS_MAX} s: ${lastProblem}. Deploy again; if it stays ` +
      "so, look for a lack of memory or disk on the server.",
  );
}

/**
 * The image's entry point may still be about to restart the server that answers on the socket, so that each part may
 * fail once and is simply done again.
 * @returns undefined when the role can work, else the problem
 */
async function tryProvision(
  ctx: ProvisionContext,
  container: ContainerState,
  script: string,
  { databaseName, further, role, password }: ProvisionDbRequest,
): Promise<string | undefined> {
  try {
    const { exitCode, output } = await ctx.engine.exec(container.id, PSQL_ARGV, script);
    if (exitCode !== 0) return lastLine(output);
    const login = { host: container.address, port: container.port, role, password };
    for (const name of [databaseName, ...further]) await connectAsRole({ ...login, databaseName: name });
    return undefined;
  } catch (error) {
    // The engine being away is not the database's doing; a container that does not run is found by the next round.
    if (error instanceof SvcError && error.code !== "not_found") throw error;
    return error instanceof Error ? error.message : String(error);
  }
}

/** The engine's own: it found the container ended when it was started again. */
const FOUND_ENDED = 255;

async function refuseExited(ctx: ProvisionContext, version: string): Promise<void> {
  const container = await findDatabase(ctx);
  if (container?.state === "running" || container?.state === "restarting") return;
  if (container?.exitCode === FOUND_ENDED) {
    throw new SvcError("engine_unavailable", "The server's container engine ended while the app's database started.");
  }
  const log = container === undefined ? [] : await lastLogLines(ctx, container.id);
  const dataVersion = log.map((line) => /initialized by PostgreSQL version (\d+)/.exec(line)?.[1]).find(Boolean);
  if (container !== undefined && dataVersion !== undefined && dataVersion !== version) {
    // It holds nothing, its volume does: in the way of a next try with the right version it would only be refused.
    await ctx.engine.remove(container.id);
    throw otherVersion(dataVersion, version);
  }
  throw new SvcError(
    "database_not_ready",
    `The app's database ended with exit code ${container?.exitCode ?? "unknown"} while it started. Its data is ` +
      `untouched. Its last log lines:\n${log.join("\n")}`,
  );
}

async function lastLogLines(ctx: ProvisionContext, id: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const batch of ctx.engine.logs(id, { lines: LOG_LINES_IN_ERROR, follow: false })) {
    lines.push(...batch.map(({ text }) => text));
  }
  return lines;
}

function otherVersion(existing: string, wanted: string): SvcError {
  return new SvcError(
    "invalid_request",
    `The app's database is PostgreSQL ${existing}, and ${wanted} was asked for. Its data is untouched. Ask for version ` +
      `${existing} again, or dump the data, purge the app, and restore it into a new one.`,
  );
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
