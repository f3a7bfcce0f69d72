import { request } from "node:http";

/** Characters of an answer that are read: the largest is Caddy's list of upstreams, 100 bytes each. */
const ANSWER_LENGTH_MAX = 8 * 1024 * 1024;

export type LocalTarget = { socketPath: string } | { host: "127.0.0.1"; port: number };

export interface LocalCall {
  method?: "GET" | "POST";
  path: string;
  body?: object;
  timeoutMs: number;
}

/**
 * One call to a process of ours on this host; the answer's JSON, undefined when it is empty.
 * @throws Error when nothing answers in time, or with the status and the text of what is not a 200
 */
export async function callLocal(
  target: LocalTarget,
  { method = "GET", path, body, timeoutMs }: LocalCall,
): Promise<unknown> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const options = {
    ...target,
    method,
    path,
    // Caddy's API answers only what names this host (its `origins`).
    headers: { host: "caddy", ...(payload === undefined ? {} : { "content-type": "application/json" }) },
    agent: false,
    signal: AbortSignal.timeout(timeoutMs),
  };
  const answer = await new Promise<string>((resolve, reject) => {
    const req = request(options);
    req.on("error", reject);
    req.on("response", (res) => {
      let text = "";
      res.setEncoding("utf8");
      res.on("error", reject);
      res.on("data", (chunk: string) => {
        text += chunk;
        if (text.length > ANSWER_LENGTH_MAX) req.destroy(new Error("the answer is too large"));
      });
      res.on("end", () => {
        if (res.statusCode !== 200) return reject(new Error(`answered ${res.statusCode}: ${text.slice(0, 500)}`));
        resolve(text);
      });
    });
    req.end(payload);
  });
  return answer.trim() === "" ? undefined : JSON.parse(answer);
}

/** A property of what JSON gave; undefined when it is no object or has none. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
