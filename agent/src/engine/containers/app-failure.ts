import { SvcError } from "@svc/shared/errors.ts";
import type { ContainerState, ListeningSocket } from "../../ports.ts";

/** 128 + SIGKILL, which is what the kernel sends when a container's memory is used up. */
export const EXIT_KILLED = 137;

const EXIT_MEANINGS: Readonly<Record<number, string>> = {
  0: " (no error: a web app must keep running)",
  126: " (its start command is not executable)",
  127: " (its start command was not found)",
  137: " (it was killed)",
  139: " (it crashed with a segmentation fault)",
};

/** A stack trace fits; the whole error stays below a wire message's limits. */
const LOG_LINE_CHARACTERS_MAX = 400;

/**
 * Why an app's container does not run any more. The engine reports running out of memory also when only a child of the
 * app was ended: the app's own end by SIGKILL tells the two apart.
 */
export function explainExit(
  container: Pick<ContainerState, "exitCode" | "outOfMemory">,
  memoryBytes: number,
  logLines: readonly string[],
): SvcError {
  const { exitCode, outOfMemory } = container;
  const cap = formatMemory(memoryBytes);
  if (outOfMemory && exitCode === EXIT_KILLED) {
    return new SvcError(
      "app_out_of_memory",
      `The app used more than its ${cap} of memory and was ended. Give it more with \`resources.memory\` in the deploy ` +
        `spec, or make it use less.${quoteLog(logLines)}`,
    );
  }
  const hint = outOfMemory ? ` One of its processes had used more than the app's ${cap} of memory.` : "";
  const meaning = exitCode === undefined ? "" : (EXIT_MEANINGS[exitCode] ?? "");
  return new SvcError(
    "app_exited",
    `The app ended while it started, with exit code ${exitCode ?? "unknown"}${meaning}.${hint} ` +
      `Repair what its log says and deploy again.${quoteLog(logLines)}`,
  );
}

export interface SilentApp {
  port: number;
  /** How long it is waited for. */
  probeSeconds: number;
  /** Why the last connection failed. */
  refusal: string;
  /** Is undefined when it cannot be told. */
  sockets: readonly ListeningSocket[] | undefined;
}

/** Is for the step's output, while there is time left; lines that a terminal shows whole. */
export function hintWhileSilent(app: SilentApp): string[] {
  const { seen, remedies } = diagnose(app);
  return [`Still waiting for port ${app.port}, ${app.probeSeconds} s at most.`, seen, ...remedies];
}

export function explainNotListening(app: SilentApp & { logLines: readonly string[] }): SvcError {
  const { port, probeSeconds } = app;
  const { seen, remedies } = diagnose(app);
  const advice = [seen, ...remedies].join(" ");
  const message = `The app did not accept a connection on port ${port} within ${probeSeconds} s. ${advice}`;
  return new SvcError("app_not_listening", `${message}${quoteLog(app.logLines)}`);
}

/** The agent is not told where the port comes from; apps from a template have it in their settings. */
const SETTING_WINS = "A port in the app's settings goes before that: change it there.";

/** Where the app listens, and what to do about it: a sentence each. */
function diagnose({ port, refusal, sockets }: SilentApp): { seen: string; remedies: string[] } {
  const anyPort = "Make it listen on 0.0.0.0 and on $PORT";
  if (sockets === undefined) {
    const remedy = `${anyPort}, or put the port it uses into svc.yaml.`;
    return { seen: "Where it listens can't be seen.", remedies: [remedy, SETTING_WINS] };
  }
  const reachable = ports(sockets.filter(({ loopback }) => !loopback));
  const hidden = ports(sockets.filter(({ loopback }) => loopback));
  if (reachable.includes(port)) {
    const seen = `It listens there, but the server cannot connect to it (${refusal}).`;
    return { seen, remedies: ["Look for a firewall on the server."] };
  }
  if (hidden.includes(port)) {
    const remedy = "Nothing outside of its container reaches that: make it listen on 0.0.0.0.";
    return { seen: "It listens only on 127.0.0.1.", remedies: [remedy] };
  }
  const [first] = reachable;
  if (first !== undefined) {
    const remedy = `Put \`port: ${first}\` into svc.yaml, or make it listen on $PORT.`;
    return { seen: `It listens on port ${reachable.join(", ")}.`, remedies: [remedy, SETTING_WINS] };
  }
  if (hidden.length > 0) {
    const remedy = `Make it listen on 0.0.0.0, with \`port: ${hidden[0]}\` in svc.yaml or on $PORT.`;
    return { seen: `It listens only on 127.0.0.1:${hidden.join(", ")}.`, remedies: [remedy, SETTING_WINS] };
  }
  return { seen: "It listens on no port at all.", remedies: [`${anyPort}.`] };
}

function ports(sockets: readonly ListeningSocket[]): number[] {
  return [...new Set(sockets.map(({ port }) => port))].toSorted((a, b) => a - b);
}

/** The app's last lines, behind a sentence. */
export function quoteLog(logLines: readonly string[]): string {
  if (logLines.length === 0) return " It wrote no log.";
  const lines = logLines.map((line) => line.slice(0, LOG_LINE_CHARACTERS_MAX));
  return `\nIts last log lines:\n${lines.join("\n")}`;
}

export function formatMemory(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}
