import { Agent, request } from "node:https";
import type { LoadTarget } from "../load/connections.ts";

/** A request that takes longer has failed; its row may be there or not. */
const ANSWER_MS_MAX = 15_000;

export interface StoringLoad {
  /** The confirmed rows of each target, by its host, each with its own number. */
  confirmed: ReadonlyMap<string, ReadonlySet<number>>;
  sent(): number;
  /** Reasons that requests had no answer, and how many. */
  failed: ReadonlyMap<string, number>;
  /** Sends no more, and waits for what is under way. */
  stop(): Promise<void>;
}

/** Stores a row in each target in turn, whatever the answers do. */
export function startStoringLoad(targets: readonly LoadTarget[], perSecond: number): StoringLoad {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const confirmed = new Map(targets.map(({ host }) => [host, new Set<number>()]));
  const failed = new Map<string, number>();
  const open = new Set<Promise<void>>();
  const beganAt = performance.now();
  let number = 0;

  function send(target: LoadTarget, row: number): void {
    const sent = post(agent, target, row)
      .then(
        () => void confirmed.get(target.host)!.add(row),
        (error: Error) => void failed.set(error.message, (failed.get(error.message) ?? 0) + 1),
      )
      .finally(() => open.delete(sent));
    open.add(sent);
  }

  const timer = setInterval(() => {
    const due = ((performance.now() - beganAt) / 1_000) * perSecond;
    for (; number < due; number += 1) send(targets[number % targets.length]!, number);
  }, 10);
  return {
    confirmed,
    failed,
    sent: () => number,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      agent.destroy();
    },
  };
}

/** @throws Error when the row was not confirmed */
function post(agent: Agent, { host, port, ca }: LoadTarget, row: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const options = { agent, host: "127.0.0.1", port, ca, servername: host, path: `/${row}`, method: "POST" };
  const req = request({ ...options, headers: { host }, timeout: ANSWER_MS_MAX }, (res) => {
    let text = "";
    res.setEncoding("utf8");
    res.on("data", (chunk: string) => (text += chunk));
    res.on("error", reject);
    res.on("end", () => (text === "stored" ? resolve() : reject(new Error(`answered ${res.statusCode}`))));
  });
  req.on("timeout", () => req.destroy(new Error("no answer in time")));
  req.on("error", reject);
  req.end();
  return promise;
}
