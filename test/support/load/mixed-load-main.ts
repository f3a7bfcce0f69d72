/** The load's process; see mixed-load.ts. Usage: mixed-load-main.ts SPEC (JSON), with a channel to its parent. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { LoadConnections, type LoadRequest } from "./connections.ts";
import { holdStreams } from "./held-streams.ts";
import type { LoadOrder, MixedLoadResult, MixedLoadSpec } from "./mixed-load.ts";
import { Tally } from "./tally.ts";

/** Beyond it the server is so slow that the load would only measure itself. */
const OPEN_MAX = 2_000;
const TICK_MS = 5;
const BODY = "x".repeat(2_000);

const spec = JSON.parse(process.argv[2] ?? "") as MixedLoadSpec;
const connections = new LoadConnections(spec.target);
const streams = holdStreams(spec.steady);
const delay = monitorEventLoopDelay({ resolution: TICK_MS });
delay.enable();
const tallies = new Map<string, Tally>();
const open = new Set<Promise<void>>();
/** Requests before the first phase open the connections, and are not counted. */
let tally = new Tally();
let number = 0;

/** Mixes the kinds evenly: every twentieth pair has fresh connections, every fourth a body. */
function quickRequest(sequence: number): LoadRequest {
  const pair = sequence >> 1;
  return {
    protocol: sequence % 2 === 0 ? "h1" : "h2",
    isFresh: pair % 10 === 9,
    path: "/",
    body: pair % 4 === 3 ? BODY : undefined,
  };
}

/** All four kinds in turn. */
function slowRequest(sequence: number): LoadRequest {
  return {
    protocol: sequence % 2 === 0 ? "h1" : "h2",
    isFresh: false,
    path: "/slow",
    body: sequence % 4 < 2 ? undefined : BODY,
  };
}

function kindOf({ protocol, isFresh, path, body }: LoadRequest): string {
  return `${protocol} ${isFresh ? "fresh" : "kept"} ${body === undefined ? "GET" : "POST"} ${path}`;
}

async function send(load: LoadRequest): Promise<void> {
  const [kind, counted, startedAt] = [kindOf(load), tally, performance.now()];
  counted.sent(kind);
  if (open.size >= OPEN_MAX) return counted.lost(kind, "not sent: too many are open");
  try {
    const { status, body } = await connections.send(load);
    const [release, bytes] = body.split(" ");
    const isRight = status === 200 && release && bytes === String(load.body?.length ?? 0);
    if (isRight) counted.answered(release, performance.now() - startedAt, load.path === "/");
    else counted.lost(kind, `${status} ${body.slice(0, 60)}`);
  } catch (error) {
    counted.lost(kind, error instanceof Error ? error.message : String(error));
  }
}

function begin(load: LoadRequest): void {
  const sent = send(load).finally(() => open.delete(sent));
  open.add(sent);
}

const startedAt = performance.now();
const quick = setInterval(() => {
  const due = ((performance.now() - startedAt) / 1000) * spec.perSecond;
  while (number < due) begin(quickRequest(number++));
}, TICK_MS);
let slowNumber = 0;
const slow = setInterval(() => begin(slowRequest(slowNumber++)), spec.slowEveryMs);

async function end(): Promise<MixedLoadResult> {
  clearInterval(quick);
  clearInterval(slow);
  tally.end();
  await Promise.all(open);
  const steady = streams.result();
  streams.close();
  connections.close();
  return {
    phases: Object.fromEntries([...tallies].map(([name, each]) => [name, each.result()])),
    steady,
    ownDelayP99: delay.percentile(99) / 1e6,
  };
}

process.on("message", (order: LoadOrder) => {
  if ("end" in order) return void end().then((result) => process.send?.(result));
  if ("sent" in order) return void process.send?.(tally.result().sent);
  tally.end();
  delay.reset();
  const known = tallies.get(order.phase);
  known?.resume();
  tally = known ?? new Tally();
  tallies.set(order.phase, tally);
});
// The parent has gone: nobody wants the result.
process.on("disconnect", () => process.exit(0));
process.send?.({ ready: true });
