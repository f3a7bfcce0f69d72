import { CliError, EXIT, type ExitStatus } from "../cli-error.ts";
import type { Terminal } from "../terminal.ts";
import { jsonView } from "./json-view.ts";
import { liveView } from "./live-view.ts";
import { plainView } from "./plain-view.ts";
import type { ProgressView } from "./progress.ts";

/** Runs what shows its progress, in the form that standard output asks for; an error is the last thing that it shows. */
export async function withView(
  terminal: Terminal,
  work: (view: ProgressView) => Promise<ExitStatus>,
): Promise<ExitStatus> {
  const view = terminal.json ? jsonView(terminal) : terminal.isLive ? liveView(terminal) : plainView(terminal);
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
