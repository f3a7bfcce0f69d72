import { APP_ENDED, PLATFORM_MARK } from "@svc/shared/rules/platform-line.ts";
import type { LogLine, OwnedContainer } from "../../ports.ts";
import { formatMemory } from "../containers/app-failure.ts";
import type { UnhealthyReason } from "../containers/app-health.ts";

/** A sentence of the platform about an app's container, for the app's owner. */
export interface AppNotice extends OwnedContainer {
  kind: "out_of_memory" | "process_limit" | "ended" | "health" | "taken_back";
  time: Date;
  /** A sentence. */
  text: string;
}

/** A notice in the app's log, among its own lines. */
export function noticeLine({ time, text }: AppNotice): LogLine {
  return { time, text: `${PLATFORM_MARK} ${text}` };
}

/** Which of the app's two containers. The owner knows the app's name, the operator has many apps. */
type Named = Pick<OwnedContainer, "appName" | "role">;

function toOwner({ role }: Named): string {
  return role === "app" ? "The app" : "The app's database";
}

function toOperator({ appName, role }: Named): string {
  return role === "app" ? `The app ${appName}` : `The database of the app ${appName}`;
}

/** @param restarts so often the engine has started it again, this time included; 0: it is not started again */
export function endedNotice(container: Named, exitCode: number | undefined, restarts: number): string {
  const again = restarts > 0 ? ` and is started again (restart ${restarts})` : "";
  const ended = container.role === "app" ? APP_ENDED : `${toOwner(container)} ended`;
  return `${ended} with exit code ${exitCode ?? "unknown"}${again}.`;
}

const HEALTH_NOTICES: Readonly<Record<UnhealthyReason, string>> = {
  crash_loop:
    "The app is unhealthy: it ends again and again. It is started again each time, after pauses that double up to a minute.",
  out_of_memory:
    "The app is unhealthy: it ended because it reached its memory limit. Ask for more in the spec file (resources.memory), or make it use less.",
  not_listening: "The app is unhealthy: it runs, and its port accepts no connection.",
  gone: "The app is unhealthy: its container was removed or stopped outside of the platform. Restart the app, or deploy it again.",
};

/** @param reason undefined when the app serves again */
export function healthNotice(reason: UnhealthyReason | undefined): string {
  return reason === undefined ? "The app serves again." : HEALTH_NOTICES[reason];
}

/** The kernel may have ended a child of the app alone: that the app itself has ended is a notice of its own. */
export function memoryNotice(container: Named, limitBytes: number | undefined): string {
  return `${toOwner(container)} reached its memory limit${amount(limitBytes)}; the kernel ended a process of it.`;
}

/** @param times so often in the last minute */
export function memoryError(container: Named, limitBytes: number | undefined, times: number): string {
  const often = times > 1 ? ` (${times} times in the last minute)` : "";
  return `${toOperator(container)} reached its memory limit${amount(limitBytes)}; the kernel ended a process of it${often}.`;
}

export function processNotice(container: Named, processesMax: number): string {
  return `${toOwner(container)} reached its limit of ${processesMax} processes and threads; it can start no more of them.`;
}

export function processError(container: Named, processesMax: number): string {
  return `${toOperator(container)} reached its limit of ${processesMax} processes and threads; it can start no more of them.`;
}

/** Is undefined of a container that is gone. */
function amount(bytes: number | undefined): string {
  return bytes === undefined ? "" : ` of ${formatMemory(bytes)}`;
}
