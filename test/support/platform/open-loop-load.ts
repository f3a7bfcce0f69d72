import { Agent, request } from "node:https";
import { handshake } from "../doubles/young-certificate.ts";

/** Beyond it the server is so slow that the load would only measure itself. */
const OPEN_MAX = 500;

export interface LoadResult {
  sent: number;
  ok: number;
  /** Status, or error code, of what was not answered with 200 → how often. */
  failures: Record<string, number>;
  /** Body → how often. */
  answers: Record<string, number>;
  longestMs: number;
}

export interface Load {
  /** So far. */
  sent(): number;
  /** Ends the load and waits for open requests. */
  stop(): Promise<LoadResult>;
}

export interface LoadTarget {
  host: string;
  port: number;
  ca: string;
  perSecond: number;
}

/** Requests at a steady rate, whatever the answers do, over kept-alive connections. */
export async function startLoad(target: LoadTarget): Promise<Load> {
  await handshake(target);
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const result: LoadResult = { sent: 0, ok: 0, failures: {}, answers: {}, longestMs: 0 };
  const open = new Set<Promise<void>>();
  const count = (counts: Record<string, number>, key: string): void => void (counts[key] = (counts[key] ?? 0) + 1);

  const send = (method: "GET" | "POST"): Promise<void> =>
    new Promise((resolve) => {
      const startedAt = performance.now();
      const { host, port, ca } = target;
      const options = { host: "127.0.0.1", port, ca, servername: host, headers: { host }, agent, method };
      const req = request(options, (res) => {
        let body = "";
        res.setEncoding("utf8");
        res.on("data", (chunk: string) => (body += chunk));
        res.on("end", () => {
          if (res.statusCode === 200) result.ok++;
          else count(result.failures, String(res.statusCode));
          count(result.answers, body.slice(0, 20));
          result.longestMs = Math.max(result.longestMs, performance.now() - startedAt);
          resolve();
        });
        res.on("error", (error) => {
          count(result.failures, `body: ${error.message}`);
          resolve();
        });
      });
      req.on("error", (error) => {
        count(result.failures, error.message);
        resolve();
      });
      req.end(method === "POST" ? "x".repeat(1000) : undefined);
    });

  const startedAt = performance.now();
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * target.perSecond;
    while (result.sent < due) {
      result.sent++;
      if (open.size >= OPEN_MAX) {
        count(result.failures, "not sent: too many are open");
        continue;
      }
      // A lost POST can't be repeated by the proxy, so it shows what a GET hides.
      const sent = send(result.sent % 4 === 0 ? "POST" : "GET").finally(() => open.delete(sent));
      open.add(sent);
    }
  }, 5);
  return {
    sent: () => result.sent,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      agent.destroy();
      return result;
    },
  };
}
