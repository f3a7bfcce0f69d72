import { setTimeout as delay } from "node:timers/promises";
import { answerOf, type Service } from "../api/client.ts";
import { readEvents } from "../api/event-stream.ts";
import { CliError, EXIT, failed, wrongUse } from "../output/cli-error.ts";
import type { Invocation } from "../command-line/command.ts";
import { printable } from "../output/printable.ts";
import { openApp } from "../project/which-app.ts";
import type { Terminal } from "../output/terminal.ts";

const LINES_MAX = 500;
const LINES_DEFAULT = 100;
const RECONNECT_MS = 1_000;

/** The end of the app's log, or of a release's or a deploy's, or a search in it; with -f what is written to it as well. */
export async function logs(invocation: Invocation): Promise<number> {
  const { flags, terminal } = invocation;
  const lines = linesOf(flags.text("lines"));
  const former = formerOf(flags);
  const search = searchOf(flags);
  const { name, service } = await openApp(invocation);
  const source = flags.isSet("access") ? ("access" as const) : undefined;
  if (flags.isSet("follow")) return follow({ service, name, source }, lines, terminal);
  const params = { path: { name }, query: { lines, ...(source && { source }), ...former, ...search } };
  const read = await answerOf(service, service.rest.GET("/api/apps/{name}/logs", { params }));
  const { logs: text, continue_until: goOn, since } = read as Exclude<typeof read, string>;
  if (text === "" && !terminal.json) terminal.note(search ? "Nothing was found." : emptyNote(name, source));
  if (typeof goOn === "string" && !terminal.json) {
    terminal.note(
      `The search has looked back to ${goOn}; there may be more before. Go on with ${since === undefined ? "" : `--since ${since} `}--until ${goOn}`,
    );
  }
  terminal.result(read, text === "" ? "" : text.split("\n").map(shown(terminal)).join("\n"));
  return EXIT.success;
}

function emptyNote(name: string, source: "access" | undefined): string {
  return source ? `No requests to ${name} are logged.` : "The log is empty.";
}

interface Followed {
  service: Service;
  /** The app's name. */
  name: string;
  source: "access" | undefined;
}

async function follow({ service, name, source }: Followed, lines: number, terminal: Terminal): Promise<number> {
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  process.once("SIGINT", leave);
  const { signal } = leaving;
  let wanted = lines;
  let hasBegun = false;
  const resume = new Resume();
  try {
    for (;;) {
      try {
        const query = `follow=1&lines=${wanted}${source === undefined ? "" : `&source=${source}`}`;
        const path = `/api/apps/${encodeURIComponent(name)}/logs?${query}`;
        const response = await service.stream(path, {}, signal);
        hasBegun = true;
        for await (const { event, data } of response.body ? readEvents(response.body, signal) : []) {
          if (event === "end") return EXIT.success;
          const body = JSON.parse(data) as { lines?: string[]; dropped?: number; error?: string; detail?: string };
          if (event === "error") throw failed(body.error ?? "logs_failed", body.detail ?? "The log can't be read.");
          showLines(terminal, body, resume);
        }
      } catch (error) {
        // The place of a connection that broke is taken until the service has noticed.
        const isPlaceTaken = error instanceof CliError && error.code === "too_many_streams" && hasBegun;
        if (error instanceof CliError && !isPlaceTaken) throw error;
        signal.throwIfAborted();
      }
      // Lines that were shown come again, and are told apart by their time.
      wanted = LINES_MAX;
      resume.again();
      await delay(RECONNECT_MS, undefined, { signal });
    }
  } catch (error) {
    if (signal.aborted) return EXIT.success;
    throw error;
  } finally {
    process.off("SIGINT", leave);
  }
}

function showLines(
  terminal: Terminal,
  { lines = [], dropped = 0 }: { lines?: string[]; dropped?: number },
  resume: Resume,
): void {
  if (dropped > 0) terminal.note(`… ${dropped} lines dropped`);
  for (const line of lines) {
    if (resume.isNew(line.split(" ", 1)[0]!)) terminal.result({ line }, shown(terminal)(line));
  }
}

/** Which lines of a log that is read again were shown: those before the last one's time, and as many as had that time. */
class Resume {
  #time = "";
  #count = 0;
  #known: { time: string; left: number } | undefined;

  /** The stream begins again with lines that were shown. */
  again(): void {
    this.#known = { time: this.#time, left: this.#count };
  }

  isNew(time: string): boolean {
    if (this.#known && time < this.#known.time) return false;
    if (this.#known && time === this.#known.time && this.#known.left > 0) {
      this.#known.left -= 1;
      return false;
    }
    this.#count = time === this.#time ? this.#count + 1 : 1;
    this.#time = time;
    return true;
  }
}

/** A file gets the app's bytes; a terminal must not obey them. */
function shown(terminal: Terminal): (line: string) => string {
  return terminal.isLive ? printable : (line) => line;
}

function formerOf(flags: Invocation["flags"]): { release?: string; deploy?: string } {
  const [release, deploy] = [flags.text("release"), flags.text("deploy")];
  if (release !== undefined && deploy !== undefined) throw wrongUse("Give --release or --deploy, not both.");
  const isFormer = release !== undefined || deploy !== undefined;
  if (isFormer && flags.isSet("access")) throw wrongUse("--access goes with neither --release nor --deploy.");
  if (isFormer && flags.isSet("follow")) throw wrongUse("--follow goes with neither --release nor --deploy.");
  return { ...(release !== undefined && { release }), ...(deploy !== undefined && { deploy }) };
}

/** The stored lines are searched where any of these is given. */
function searchOf(flags: Invocation["flags"]): { since?: string; until?: string; query?: string } | undefined {
  const [since, until, query] = [flags.text("since"), flags.text("until"), flags.text("query")];
  if (since === undefined && until === undefined && query === undefined) return undefined;
  if (flags.isSet("follow") || flags.text("release") !== undefined || flags.text("deploy") !== undefined) {
    throw wrongUse("--since, --until and --query go with neither --follow nor --release nor --deploy.");
  }
  return {
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(query !== undefined && { query }),
  };
}

function linesOf(text: string | undefined): number {
  if (text === undefined) return LINES_DEFAULT;
  const lines = Number(text);
  if (/^[0-9]+$/.test(text) && lines >= 1 && lines <= LINES_MAX) return lines;
  throw wrongUse(`--lines is ${JSON.stringify(text)}; it must be 1 to ${LINES_MAX}.`);
}
