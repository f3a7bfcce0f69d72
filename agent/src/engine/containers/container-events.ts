import type { Readable } from "node:stream";
import { LABEL_SERVER, labelFilter, readContainerLabels, type Labels } from "@svc/shared/rules/labels.ts";
import type { ContainerEvent } from "../../ports.ts";
import type { DockerContext } from "../context.ts";
import { linesOf } from "../../platform/lines.ts";

/** The engine's words, in ours. */
const KINDS: Readonly<Record<string, ContainerEvent["kind"]>> = {
  start: "started",
  kill: "signalled",
  oom: "out_of_memory",
  die: "ended",
};

/** One message of the engine's `GET /events`. */
interface EngineEvent {
  Action: string;
  Actor: { ID: string; Attributes: Labels };
  timeNano: number;
}

/** Yields what happens to this server's containers from `since`, until the engine ends or the signal aborts. */
export async function* readContainerEvents(
  ctx: DockerContext,
  { since, signal }: { since: Date; signal: AbortSignal },
): AsyncGenerator<ContainerEvent> {
  if (signal.aborted) return;
  const { label } = labelFilter({ [LABEL_SERVER]: ctx.serverId });
  const filters = { label, type: ["container" as const], event: Object.keys(KINDS) };
  try {
    const stream = await ctx.docker.getEvents({ filters, since: since.getTime() / 1000, abortSignal: signal });
    for await (const line of linesOf(stream as Readable)) {
      const event = toEvent(ctx.serverId, JSON.parse(line) as EngineEvent);
      if (event) yield event;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** A container's labels are attributes of its events. */
function toEvent(serverId: string, { Action, Actor, timeNano }: EngineEvent): ContainerEvent | undefined {
  const identity = readContainerLabels(serverId, Actor.Attributes);
  const kind = KINDS[Action];
  if (identity === undefined || kind === undefined) return undefined;
  const exitCode = Actor.Attributes["exitCode"];
  return {
    containerId: Actor.ID,
    appId: identity.app.id,
    appName: identity.app.name,
    role: identity.role,
    kind,
    exitCode: exitCode === undefined ? undefined : Number(exitCode),
    time: new Date(timeNano / 1e6),
  };
}
