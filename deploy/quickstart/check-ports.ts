import { basename } from "node:path";
import { SetupError } from "../setup/terminal.mjs";
import type { Installation } from "./installation.ts";
import { listenerOn, processesNaming } from "./processes.ts";

/**
 * Says which process is in the way and which variable chooses another port. The installation's own proxy may hold its
 * ports: it outlives a quickstart.
 * @throws SetupError
 */
export function checkPorts(installation: Installation): void {
  const ours = new Set(processesNaming(installation.agentDirectory).map(({ pid }) => pid));
  const wanted = [
    { port: installation.apiListen.port, variable: "SVC_LISTEN", example: "127.0.0.1:18080", user: "the API" },
    {
      port: installation.agentsListen.port,
      variable: "SVC_AGENTS_LISTEN",
      example: "127.0.0.1:18443",
      user: "the agents",
    },
    {
      port: installation.agentHttp.port,
      variable: "SVC_AGENT_HTTP",
      example: "127.0.0.1:19180",
      user: "the agent's health",
    },
    { port: installation.httpPort, variable: "SVC_HTTP_PORT", example: "10080", user: "the apps over HTTP" },
    { port: installation.httpsPort, variable: "SVC_HTTPS_PORT", example: "10443", user: "the apps over HTTPS" },
  ];
  for (const { port, variable, example, user } of wanted) {
    const listener = port === 0 ? undefined : listenerOn(port);
    if (listener === undefined || (listener !== "unknown" && ours.has(listener.pid))) continue;
    const holder = listener === "unknown" ? "a process that cannot be seen" : describe(listener);
    throw new SetupError(
      `Port ${port} is needed for ${user}, but taken.`,
      `${holder} listens on it.`,
      `Stop it, or choose another port with ${variable}, for example: ${variable}=${example} npm run quickstart`,
    );
  }
}

function describe({ pid, argv }: { pid: number; argv: string[] }): string {
  return `${basename(argv[0] ?? "")} (process ${pid})`;
}
