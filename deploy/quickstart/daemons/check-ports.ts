import { formatHostPort } from "@svc/shared/platform/env.ts";
import { SetupError } from "../../setup/terminal.mjs";
import type { Installation } from "../installation.ts";
import { describeListener, listenerOn, processesNaming } from "./processes.ts";

/**
 * Says which process is in the way and which variable chooses another port. The installation's own proxy may hold its
 * ports: it outlives a quickstart.
 * @throws SetupError
 */
export function checkPorts(installation: Installation): void {
  const ours = new Set(processesNaming(installation.agentDirectory).map(({ pid }) => pid));
  const { apiListen, agentsListen, metricsListen, agentHttp, httpPort, httpsPort } = installation;
  const wanted = [
    { port: apiListen.port, variable: "SVC_LISTEN", host: apiListen.host, user: "the API" },
    { port: agentsListen.port, variable: "SVC_AGENTS_LISTEN", host: agentsListen.host, user: "the agents" },
    { port: metricsListen.port, variable: "SVC_METRICS_LISTEN", host: metricsListen.host, user: "the metrics" },
    { port: agentHttp.port, variable: "SVC_AGENT_HTTP", host: agentHttp.host, user: "the agent's health" },
    { port: httpPort, variable: "SVC_HTTP_PORT", user: "the apps over HTTP" },
    { port: httpsPort, variable: "SVC_HTTPS_PORT", user: "the apps over HTTPS" },
  ];
  for (const { port, variable, host, user } of wanted) {
    const listener = port === 0 ? undefined : listenerOn(port);
    if (listener === undefined || (listener !== "unknown" && ours.has(listener.pid))) continue;
    const other = port < 10_000 ? port + 10_000 : port + 1;
    const example = host === undefined ? other : formatHostPort({ host, port: other });
    throw new SetupError(
      `Port ${port} is needed for ${user}, but taken.`,
      `${describeListener(listener)} listens on it.`,
      `Stop it, or choose another port with ${variable}, for example: ${variable}=${example} npm run quickstart`,
    );
  }
}
