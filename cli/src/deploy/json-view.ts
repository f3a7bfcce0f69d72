import type { Terminal } from "../output/terminal.ts";
import type { ProgressView } from "./progress.ts";

/** One JSON object a line, and nothing else. */
export function jsonView(terminal: Terminal): ProgressView {
  return {
    show(event, time = new Date().toISOString()) {
      if (event.type === "watch" || event.type === "doing") return;
      const { type, ...facts } = event;
      const { fields, ...rest } = { fields: {}, ...facts };
      terminal.write(`${JSON.stringify({ type, time, ...rest, ...fields })}\n`);
    },
    pause: () => undefined,
    resume: () => undefined,
    close: () => undefined,
  };
}
