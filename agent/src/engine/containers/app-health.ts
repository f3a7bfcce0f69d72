export type UnhealthyReason = "crash_loop" | "out_of_memory" | "not_listening" | "gone";

/** The result of one look at an app. Times are milliseconds since 1970. */
export interface HealthLook {
  at: number;
  containerId: string;
  /** The engine's state; `gone`: it has no such container; undefined: the engine does not answer. */
  state: string | undefined;
  /** When the container was started last. */
  startedAt: number | undefined;
  /** How often the engine has started it again since somebody started it. */
  restartCount: number;
  /** Since when its port accepts no connection; undefined while it does. */
  refusingSince: number | undefined;
}

/** `reason` is undefined of an app that serves. */
export interface HealthVerdict {
  reason: UnhealthyReason | undefined;
  since: number;
}

/** The state of an app that is kept from one look to the next. */
export interface HealthMemory {
  containerId: string;
  /** Whether the engine has told of the container; what is known of its restarts is nothing before. */
  isSeen: boolean;
  startedAt: number | undefined;
  restartCount: number;
  /** The newest ends after which the engine started the container again. */
  ends: readonly { at: number; lifeMs: number }[];
  /** Its last end came from its memory limit, and it has not served for long since. */
  endedForMemory: boolean;
  servingSince: number | undefined;
  downSince: number | undefined;
  /** Is undefined while nothing is known yet. */
  verdict: HealthVerdict | undefined;
}

/** A container that ends once and is started again at once is back by then. */
export const DOWN_MS_MIN = 2_000;
/** One end may be chance, and the second one the end of its cause. */
const LOOP_ENDS = 3;
/** An app that ends every 100 s is in a loop; one that ends twice in this time is not. */
const LOOP_WINDOW_MS = 5 * 60_000;
/** The engine's own measure: it starts a container that ran for 10 s again without a pause. */
const SERVED_MS_MIN = 10_000;

/** Returns the memory of an app that is looked at for the first time. It may have been in a loop for long. */
export function firstMemory({ containerId, state, startedAt, restartCount, at }: HealthLook): HealthMemory {
  const isYoung = startedAt === undefined || at - startedAt < SERVED_MS_MIN;
  const wasInLoop = restartCount >= LOOP_ENDS && isYoung;
  const ends = wasInLoop ? Array.from({ length: LOOP_ENDS }, () => ({ at, lifeMs: 0 })) : [];
  return {
    containerId,
    isSeen: state !== undefined,
    startedAt,
    restartCount,
    ends,
    endedForMemory: false,
    servingSince: undefined,
    downSince: undefined,
    verdict: undefined,
  };
}

/** Returns the memory after a look. A new release is judged by itself; how its app was is still known. */
export function afterLook(before: HealthMemory, look: HealthLook): HealthMemory {
  const isSame = before.containerId === look.containerId && (before.isSeen || look.state === undefined);
  const former = isSame ? before : { ...firstMemory(look), verdict: before.verdict };
  const memory = forgetWhatIsOver({ ...former, ...countEnds(former, look), ...upOrDown(former, look) }, look.at);
  return { ...memory, verdict: judge(memory, look) };
}

/** Returns the memory when the container has ended: what it serves from then on begins anew. */
export function afterEnd(before: HealthMemory, containerId: string, forMemory: boolean): HealthMemory {
  if (before.containerId !== containerId) return before;
  return { ...before, endedForMemory: forMemory, servingSince: undefined };
}

/** The engine counts anew when somebody starts the container: then it was no loop. */
function countEnds(former: HealthMemory, look: HealthLook): Partial<HealthMemory> {
  const { at, state, restartCount, startedAt = former.startedAt } = look;
  if (state === undefined || state === "gone") return {};
  const grown = restartCount - former.restartCount;
  if (grown < 0) return { startedAt, restartCount, ends: [] };
  const lifeMs = Math.max(0, (startedAt ?? at) - (former.startedAt ?? at)) / Math.max(1, grown);
  const further = Array.from({ length: Math.min(grown, LOOP_ENDS) }, () => ({ at, lifeMs }));
  const ends = [...former.ends, ...further].filter((end) => at - end.at < LOOP_WINDOW_MS).slice(-LOOP_ENDS);
  return { startedAt, restartCount, ends };
}

function upOrDown(former: HealthMemory, look: HealthLook): Partial<HealthMemory> {
  const { at, state, restartCount, refusingSince } = look;
  const isUp = refusingSince === undefined && (state === undefined || state === "running");
  if (!isUp) return { servingSince: undefined, downSince: former.downSince ?? refusingSince ?? at };
  const hasRestarted = state !== undefined && restartCount !== former.restartCount;
  return { servingSince: hasRestarted ? at : (former.servingSince ?? at), downSince: undefined };
}

/** A loop is over when the app has served for twice as long as it lived before its last ends. */
function forgetWhatIsOver(memory: HealthMemory, at: number): HealthMemory {
  const { ends, servingSince } = memory;
  const servedMs = servingSince === undefined ? 0 : at - servingSince;
  if (servedMs < SERVED_MS_MIN) return memory;
  if (!isInLoop(memory)) return { ...memory, endedForMemory: false };
  const isOver = servedMs >= 2 * Math.max(...ends.map(({ lifeMs }) => lifeMs));
  return isOver ? { ...memory, ends: [], endedForMemory: false } : memory;
}

function isInLoop({ ends }: HealthMemory): boolean {
  return ends.length >= LOOP_ENDS;
}

function judge(memory: HealthMemory, look: HealthLook): HealthVerdict | undefined {
  const { verdict, downSince, servingSince } = memory;
  const reason = reasonOf(memory, look);
  if (reason !== undefined) {
    return { reason, since: verdict?.reason === undefined ? (downSince ?? look.at) : verdict.since };
  }
  return servingSince === undefined ? verdict : { reason, since: servingSince };
}

function reasonOf(memory: HealthMemory, { at, state }: HealthLook): UnhealthyReason | undefined {
  const isDown = memory.downSince !== undefined && at - memory.downSince >= DOWN_MS_MIN;
  if (isDown && state === "gone") return "gone";
  if (memory.endedForMemory) return "out_of_memory";
  if (isInLoop(memory)) return "crash_loop";
  if (!isDown) return undefined;
  return state === undefined || state === "running" || state === "restarting" ? "not_listening" : "gone";
}
