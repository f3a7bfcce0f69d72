import type { Terminal } from "../output/terminal.ts";
import type { ProgressView } from "./progress.ts";

export type Interrupt = "leave" | "cancel";

export interface InterruptParts {
  terminal: Terminal;
  view: ProgressView;
  /** A deploy in the queue has no id to cancel it by. */
  canCancel(): boolean;
}

/**
 * Calls back when the user wants to leave or to cancel. On a terminal Ctrl-C asks, and a second one leaves; where nobody
 * can be asked it leaves.
 * @returns ends the watch
 */
export function watchInterrupt(
  { terminal, view, canCancel }: InterruptParts,
  onChoice: (choice: Interrupt) => void,
): () => void {
  let asking = false;
  let offersCancel = false;

  const answer = (choice: Interrupt | "stay"): void => {
    asking = false;
    terminal.stdin.off("data", onKey);
    setRaw(terminal, false);
    terminal.stdin.pause();
    terminal.note("");
    view.resume();
    if (choice !== "stay") onChoice(choice);
  };
  const onKey = (bytes: Buffer | string): void => {
    for (const key of String(bytes).toLowerCase()) {
      if (key === "\u0003" || key === "l") return answer("leave");
      if (key === "c" && offersCancel) return answer("cancel");
      if (key === "\r" || key === "\n" || key === "s") return answer("stay");
    }
  };
  const onSignal = (): void => {
    if (asking || !terminal.canAsk) return asking ? answer("leave") : onChoice("leave");
    asking = true;
    view.pause();
    offersCancel = canCancel();
    const choices = offersCancel ? "[l]eave it running, [c]ancel it, or [s]tay" : "[l]eave it in the queue, or [s]tay";
    terminal.prompt(`\rThe deploy goes on without svc. ${choices} (Ctrl-C leaves)? `);
    setRaw(terminal, true);
    terminal.stdin.on("data", onKey);
    terminal.stdin.resume();
  };

  process.on("SIGINT", onSignal);
  return () => {
    process.off("SIGINT", onSignal);
    if (asking) answer("stay");
  };
}

/** Keys arrive one by one, Ctrl-C among them. */
function setRaw({ stdin }: Terminal, isRaw: boolean): void {
  if ("setRawMode" in stdin && typeof stdin.setRawMode === "function") stdin.setRawMode(isRaw);
}
