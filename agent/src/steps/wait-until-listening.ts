import { systemClock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { EXIT_KILLED, explainExit, explainNotListening, hintWhileSilent } from "../engine/containers/app-failure.ts";
import { lastLogLines } from "../engine/logs/last-log-lines.ts";
import type { ContainerState } from "../ports.ts";
import { probeTcp } from "../platform/tcp-probe.ts";
import type { StepContext } from "../runner/step.ts";

/** An app is found to listen at most a twentieth later than it does: asking the kernel costs next to nothing. */
const PAUSE_MS = { min: 10, share: 1 / 20, max: 500 };

/** The engine is asked less often, which costs more: an app that has ended never listens again. */
const LOOK_MS = 250;

/** The kernel of the same machine accepts or refuses at once; silence is a container that has just ended, or a firewall. */
const CONNECT_MS_MAX = 500;

/** Most apps listen by then; the next look is at most two seconds later, so that whoever waits is told within five. */
const HINT_AFTER_MS = 2_000;

export interface ProbeLimits {
  probeSeconds: number;
  memoryBytes: number;
}

/** @throws SvcError app_exited, app_out_of_memory, app_not_listening, or the signal's reason */
export async function waitUntilListening(
  ctx: StepContext,
  container: ContainerState,
  limits: ProbeLimits,
): Promise<void> {
  const startedAt = Date.now();
  const waitedMs = (): number => Date.now() - startedAt;
  let isHinted = false;
  let refusal: string | undefined;
  let nextLookMs = 0;
  while (waitedMs() < limits.probeSeconds * 1000) {
    refusal = await firstRefusal(container);
    ctx.signal.throwIfAborted();
    if (refusal === undefined || waitedMs() >= nextLookMs) {
      await requireRunning(ctx, container, limits);
      nextLookMs = waitedMs() + LOOK_MS;
    }
    if (refusal === undefined) return;
    if (!isHinted && waitedMs() > HINT_AFTER_MS) isHinted = await hintIfElsewhere(ctx, container, limits, refusal);
    await systemClock.sleep(clamp(waitedMs() * PAUSE_MS.share, PAUSE_MS), ctx.signal);
  }
  throw explainNotListening({
    port: container.port,
    probeSeconds: limits.probeSeconds,
    refusal: refusal ?? "",
    sockets: await ctx.engine.listeningSockets(container.id),
    logLines: await lastLogLines(ctx.engine, container.id),
  });
}

/** Each copy is to listen: one that does not would be found out by its visitors. */
async function firstRefusal({ address, port, copies }: ContainerState): Promise<string | undefined> {
  const addresses = copies?.now.map((copy) => copy.address) ?? [address];
  for (const each of addresses) {
    const refusal = await probeTcp(each, port, CONNECT_MS_MAX);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function clamp(value: number, { min, max }: { min: number; max: number }): number {
  return Math.min(Math.max(value, min), max);
}

/** @throws SvcError app_exited, app_out_of_memory */
async function requireRunning(ctx: StepContext, container: ContainerState, limits: ProbeLimits): Promise<void> {
  const now = await readAgain(ctx, container);
  if (now.state === "running") return;
  const ended = await withItsCause(ctx, now);
  throw explainExit(ended, limits.memoryBytes, await lastLogLines(ctx.engine, container.id));
}

/** An app that listens nowhere yet may only be slow. */
async function hintIfElsewhere(
  ctx: StepContext,
  container: ContainerState,
  { probeSeconds }: ProbeLimits,
  refusal: string,
): Promise<boolean> {
  const sockets = await ctx.engine.listeningSockets(container.id);
  if (!sockets?.length) return false;
  const hint = hintWhileSilent({ port: container.port, probeSeconds, refusal, sockets });
  for (const line of hint) ctx.output.log(line);
  return true;
}

/** The engine learns that memory ran out from another event than the end, and on a busy host a moment after it. */
const CAUSE_MS_MAX = 2_000;
const CAUSE_POLL_MS = 50;

/** A container that was killed and of which the engine may still learn why. */
async function withItsCause(ctx: StepContext, ended: ContainerState): Promise<ContainerState> {
  const deadline = Date.now() + CAUSE_MS_MAX;
  let now = ended;
  while (now.exitCode === EXIT_KILLED && !now.outOfMemory && Date.now() < deadline) {
    await systemClock.sleep(CAUSE_POLL_MS, ctx.signal);
    now = await readAgain(ctx, ended);
  }
  return now;
}

/** A container without a restart policy stays exited, so that an app that ends at once is not missed in between. */
async function readAgain(ctx: StepContext, container: ContainerState): Promise<ContainerState> {
  const containers = await ctx.engine.list({ appId: ctx.app.id, deployId: ctx.deployId, role: "app" });
  const now = containers.find(({ id }) => id === container.id);
  if (now !== undefined) return now;
  throw new SvcError("app_exited", "The app's container was removed while it started. Deploy again.");
}
