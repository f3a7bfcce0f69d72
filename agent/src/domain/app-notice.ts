import type { LogLine, OwnedContainer } from "../ports.ts";
import { formatMemory } from "./app-failure.ts";

/** A sentence of the platform about an app's container, for the app's owner. */
export interface AppNotice extends OwnedContainer {
  kind: "out_of_memory" | "process_limit" | "ended" | "taken_back";
  time: Date;
  /** A sentence. */
  text: string;
}

/** In the app's log, among its own lines. */
export function noticeLine({ time, text }: AppNotice): LogLine {
  return { time, text: `[platform] ${text}` };
}

/** Which of the app's two containers. The owner knows the app's name, the operator has many apps. */
type Named = Pick<OwnedContainer, "appName" | "role">;

function toOwner({ role }: Named): string {
  return role === "app" ? "The app" : "The app's database";
}

function toOperator({ appName, role }: Named): string {
  return role === "app" ? `The app ${appName}` : `The database of the app ${appName}`;
}

export function endedNotice(container: Named, exitCode: number | undefined): string {
  return `${toOwner(container)} ended with exit code ${exitCode ?? "unknown"}.`;
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

/** Undefined of a container that is gone. */
function amount(bytes: number | undefined): string {
  return bytes === undefined ? "" : ` of ${formatMemory(bytes)}`;
}
