import { CliError, EXIT, type ExitStatus } from "../output/cli-error.ts";
import { printableText } from "../output/printable.ts";
import type { Terminal } from "../output/terminal.ts";
import { liveView } from "./live-view.ts";
import { plainView } from "./plain-view.ts";
import type { Progress, ProgressView } from "./progress.ts";

/** Runs what shows its progress, in the form that standard output asks for; an error is the last thing that it shows. */
export async function withView(
  terminal: Terminal,
  work: (view: ProgressView) => Promise<ExitStatus>,
): Promise<ExitStatus> {
  const view = terminal.json
    ? jsonView(terminal)
    : forPeople(terminal.isLive ? liveView(terminal) : plainView(terminal));
  try {
    return await work(view);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { code, message, exit, fields } = error;
    view.show({ type: "error", code, message, exit, fields });
    return exit === EXIT.success ? EXIT.failed : exit;
  } finally {
    view.close();
  }
}

/** Shows text of others (a step's error, a repository's address) so that no terminal obeys it. */
function forPeople(view: ProgressView): ProgressView {
  return { ...view, show: (event, time) => view.show(withPrintableTexts(event), time) };
}

function withPrintableTexts<E extends Progress>(event: E): E {
  const texts = Object.entries(event).flatMap(([key, value]) =>
    typeof value === "string" ? [[key, printableText(value)] as const] : [],
  );
  return { ...event, ...Object.fromEntries(texts) };
}

/** One JSON object a line, and nothing else. */
function jsonView(terminal: Terminal): ProgressView {
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
