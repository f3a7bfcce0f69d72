import { hash } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { SvcError } from "@svc/shared/errors.ts";
import type { DescribeDatabasesResponse, ImportAppRequestSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { fromAgentError } from "../../fleet/agent-errors.ts";
import type { AgentClient } from "../../ports.ts";
import { insertEvents } from "../events/deploy-events.store.ts";
import { withClaim } from "../deploy-claims.store.ts";
import { readSteps } from "../deploy-steps.store.ts";
import { stepOrder } from "../deploy.ts";
import { readTargetRelease } from "../inputs/pipeline-inputs.store.ts";
import { callAgent, linkedAgent, type AgentCallContext } from "./agent-calls.ts";
import type { StepInput } from "./context.ts";
import { agentCalls, lockRef, placesOf, type DeployWork } from "./deploy-work.ts";
import { CARRYING, registerCopy } from "../moves/moves.store.ts";

/** Stopping drains for 10 s and gives the app 10 s to end. */
const STOP_LIMIT_MS = 60_000;
/**
 * The longest that an app is refused for its databases: at 50 MB/s, 90 GB. A larger one is carried by hand, at a time that its
 * owner chooses.
 */
const DATABASES_LIMIT_MS = 30 * 60_000;
const IMAGE_LIMIT_MS = 30 * 60_000;
/** A link that breaks is back within seconds; one that breaks each time has a reason. */
const TRIES_MAX = 3;

/** Both ends of a move. */
interface Ends {
  work: DeployWork;
  app: { id: string; name: string; ownerId: string };
  source: AgentCallContext;
  target: AgentCallContext;
}

/**
 * Brings the app to the other server: first its image, while it serves, then, once it is stopped, the files of its databases. Nothing
 * that the app has stored can be missing: from the stop on nothing writes.
 * Done again from its beginning, it changes nothing but what it has brought itself.
 * @returns what the step's record keeps, for `proveDatabases` and for how long the app was refused
 */
export async function carryApp(work: DeployWork, { app }: StepInput): Promise<Record<string, unknown>> {
  const { ctx, claim } = work;
  await registerCopy(ctx.db, claim);
  const ends = endsOf(work, app);
  if (claim.targetReleaseId !== undefined) await carryImage(ends, claim.targetReleaseId);
  const pausedAt = ctx.clock.now().toISOString();
  await say(work, "The app is stopped; its requests are refused until the other server serves it.");
  const request = { app: ends.app, lock: lockRef(claim) };
  const stop = { signal: ends.source.signal, timeoutMs: STOP_LIMIT_MS };
  await callAgent(ends.source, (agent) => agent.stopApp(request, stop));
  if (app.databaseVersion === undefined) return { paused_at: pausedAt };
  return { paused_at: pausedAt, ...(await carryDatabases(ends, app.databaseVersion)) };
}

/**
 * Compares what the databases hold, once they run on the other server, with what they held.
 * @throws SvcError database_dump_failed
 */
export async function proveDatabases(work: DeployWork): Promise<void> {
  const { ctx, claim } = work;
  if (claim.kind !== "move") return;
  const carried = (await readSteps(ctx.db, claim.deployId)).find(({ name }) => name === CARRYING)?.result;
  if (typeof carried?.["databases"] !== "string") return;
  const ends = endsOf(work, { id: claim.appId, name: claim.appName, ownerId: "" });
  const found = await describe(ends, ends.target, String(carried["collation"]));
  if (digestOf(found) === carried["databases"]) return say(work, "The databases hold the same rows as before.");
  throw new SvcError(
    "database_dump_failed",
    "The databases on the other server do not hold the same rows as before. Nothing was changed where the app was, and it goes on there.",
  );
}

function endsOf(work: DeployWork, { id, name, ownerId }: Ends["app"]): Ends {
  const [target, source] = placesOf(work).map((place) => agentCalls(place));
  const signal = AbortSignal.any([work.leave, work.cancel]);
  return { work, app: { id, name, ownerId }, source: { ...source!, signal }, target: { ...target!, signal } };
}

async function carryImage(ends: Ends, releaseId: string): Promise<void> {
  const { imageDigest } = await readTargetRelease(ends.work.ctx.db, releaseId);
  const what: What = { case: "imageDigest", value: imageDigest };
  if (await hasImage(ends, what)) return;
  await say(ends.work, "Carrying the image while the app serves.");
  const { bytes, seconds } = await carry(ends, what, IMAGE_LIMIT_MS);
  await say(ends.work, `The image is there: ${megabytes(bytes)} in ${seconds} s.`);
}

async function hasImage(ends: Ends, what: What): Promise<boolean> {
  const header = headerOf(ends, what);
  async function* headerAlone() {
    yield header;
  }
  try {
    await callAgent(ends.target, (agent) => agent.importApp(headerAlone(), { signal: ends.target.signal }));
    return true;
  } catch (error) {
    if (error instanceof SvcError && error.code === "not_found") return false;
    throw error;
  }
}

async function carryDatabases(ends: Ends, version: string): Promise<{ databases: string; collation: string }> {
  const before = await describe(ends, ends.source, "");
  await say(ends.work, "Carrying the databases.");
  const { bytes, seconds } = await carry(ends, { case: "databaseVersion", value: version }, DATABASES_LIMIT_MS);
  await say(ends.work, `The databases are there: ${megabytes(bytes)} in ${seconds} s.`);
  return { databases: digestOf(before), collation: before.collation };
}

function describe(ends: Ends, at: AgentCallContext, collation: string): Promise<DescribeDatabasesResponse> {
  const request = { app: ends.app, lock: lockRef(ends.work.claim), collation };
  const limits = { signal: at.signal, timeoutMs: DATABASES_LIMIT_MS };
  return callAgent(at, (agent) => agent.describeDatabases(request, limits));
}

function digestOf({ lines }: DescribeDatabasesResponse): string {
  return hash("sha256", JSON.stringify(lines));
}

type What = { case: "imageDigest" | "databaseVersion"; value: string };
type ImportPart = MessageInitShape<typeof ImportAppRequestSchema>;

function headerOf({ work, app }: Ends, what: What): ImportPart {
  return { part: { case: "header", value: { what, app, lock: lockRef(work.claim) } } };
}

interface Carried {
  bytes: number;
  seconds: number;
}

/** Reads from the one agent as fast as the other takes it; a link that breaks has it begin anew. */
async function carry(ends: Ends, what: What, limitMs: number): Promise<Carried> {
  const { clock } = ends.work.ctx;
  const began = clock.now().getTime();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(tooLong(limitMs)), limitMs);
  try {
    for (let tries = 1; ; tries += 1) {
      const [from, to] = [await linkedAgent(ends.source), await linkedAgent(ends.target)];
      const signal = AbortSignal.any([ends.source.signal, limit.signal]);
      try {
        const bytes = await pipeOnce(ends, { from, to }, what, signal);
        return { bytes, seconds: Math.round((clock.now().getTime() - began) / 100) / 10 };
      } catch (error) {
        signal.throwIfAborted();
        const known = fromAgentError(error);
        if (known.code !== "agent_away" || tries >= TRIES_MAX) throw known;
        await clock.sleep(RETRY_MS, signal);
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

const RETRY_MS = 1_000;

async function pipeOnce(
  ends: Ends,
  { from, to }: { from: AgentClient; to: AgentClient },
  what: What,
  outer: AbortSignal,
): Promise<number> {
  const request = {
    app: ends.app,
    lock: lockRef(ends.work.claim),
    imageDigest: what.case === "imageDigest" ? what.value : "",
  };
  // Ends the stream of the one when the other has failed.
  const over = new AbortController();
  const signal = AbortSignal.any([outer, over.signal]);
  let bytes = 0;
  let failure: unknown;
  async function* parts(): AsyncGenerator<ImportPart> {
    yield headerOf(ends, what);
    try {
      for await (const { chunk } of from.exportApp(request, { signal })) {
        bytes += chunk.length;
        yield { part: { case: "chunk", value: chunk } };
      }
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  try {
    await to.importApp(parts(), { signal });
    return bytes;
  } catch (error) {
    // The end of what it was given is all that the other knows.
    throw failure ?? error;
  } finally {
    over.abort();
  }
}

function tooLong(limitMs: number): SvcError {
  const minutes = Math.round(limitMs / 60_000);
  return new SvcError("step_timed_out", `Carrying the app took more than ${minutes} minutes, and was given up.`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

async function say({ ctx, claim }: DeployWork, line: string): Promise<void> {
  const log = { kind: "log" as const, stepOrder: stepOrder(CARRYING), payload: { lines: [line], dropped: 0 } };
  await withClaim(ctx.db, claim, (trx) => insertEvents(trx, claim.deployId, [log]));
}
