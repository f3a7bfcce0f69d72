import { request } from "node:http";

/** `broken`: the connection was refused, or ended without an answer. `silent`: nothing came until the signal. */
export type Answer = "answered" | "broken" | "silent";

/** Asks the app at its container's address, past the proxy: any status is an answer, an error of the app's own too. */
export type Ask = (upstream: { address: string; port: number; host: string }, signal: AbortSignal) => Promise<Answer>;

/** Asks with the same request as proves a switch. */
export const askUpstream: Ask = ({ address, port, host }, signal) =>
  new Promise((resolve) => {
    const headers = { host, "user-agent": "svc-probe", connection: "close" };
    const req = request({ host: address, port, method: "HEAD", path: "/", headers, agent: false, signal });
    const fail = (): void => resolve(signal.aborted ? "silent" : "broken");
    req.on("response", (res) => {
      resolve("answered");
      res.resume();
      res.on("error", () => undefined);
    });
    req.on("error", fail);
    req.on("close", fail);
    req.end();
  });
