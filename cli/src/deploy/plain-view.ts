import { printable } from "../output/printable.ts";
import type { Terminal } from "../output/terminal.ts";
import type { ProgressView } from "./progress.ts";
import { sentenceOf } from "./sentences.ts";

/** Lines, each whole: for a pipe, a file or a build server. */
export function plainView(terminal: Terminal): ProgressView {
  const started = new Map<string, number>();
  const write = (text: string): void => terminal.write(`${text}\n`);
  return {
    show(event) {
      if (event.type === "error") return terminal.note(sentenceOf(event, terminal.style) ?? "");
      if (event.type === "log") {
        if (event.dropped) write(`  … ${event.dropped} lines dropped`);
        return write(event.step === null ? `Note: ${event.line}` : `  ${printable(event.line)}`);
      }
      if (event.type === "step") {
        if (event.status === "running") started.set(event.step, Date.now());
        const since = started.get(event.step);
        const took = event.status === "running" || since === undefined ? "" : ` (${seconds(Date.now() - since)})`;
        // Why it failed is said once, as the deploy's error.
        return write(`[${event.step}] ${event.status}${took}`);
      }
      const sentence = sentenceOf(event, terminal.style);
      if (sentence !== undefined) write(sentence);
    },
    pause: () => undefined,
    resume: () => undefined,
    close: () => undefined,
  };
}

export function seconds(ms: number): string {
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.floor((ms / 1000) % 60)} s`;
}
