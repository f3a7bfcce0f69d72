import { createServer, type Server, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { CertificateDesk } from "../certificates/certificate-desk.ts";

/**
 * Nobody waits for a refusal. A flood of handshakes with names that nobody has, all at once, comes in bursts otherwise, and
 * whoever asks for an app meanwhile waits for the end of each.
 */
const REFUSAL_MS = { min: 200, max: 1_200 };
/** Each of them is a connection that the proxy holds; what is beyond is refused at once. */
const REFUSALS_WAITING_MAX = 500;

/** A time of its own for each, so that those who came together do not go together. */
const randomWait = (): Promise<void> => delay(REFUSAL_MS.min + Math.random() * (REFUSAL_MS.max - REFUSAL_MS.min));

/**
 * Answers the proxy: permission for a certificate (`/ask?domain=`). For the agent: what is known of one
 * (`/certificate?domain=`), and `/healthz`.
 */
export function createAskServer(
  desk: Pick<CertificateDesk, "mayHave" | "describe">,
  health: () => object,
  wait = randomWait,
): Server {
  let waiting = 0;

  async function refuse(res: ServerResponse): Promise<void> {
    if (waiting < REFUSALS_WAITING_MAX) {
      waiting += 1;
      await wait().finally(() => (waiting -= 1));
    }
    res.writeHead(404).end();
  }

  return createServer((req, res) => {
    req.resume();
    // The path of `GET //` is no URL.
    const url = URL.parse(req.url ?? "/", "http://name-server");
    if (!url) return void res.writeHead(400).end();
    const answer = (value: object): void => {
      res.setHeader("content-type", "application/json");
      res.end(JSON.stringify(value));
    };
    const domain = url.searchParams.get("domain")?.toLowerCase() ?? "";
    if (url.pathname === "/healthz") return answer(health());
    try {
      if (url.pathname === "/certificate") return answer(desk.describe(domain));
      if (url.pathname === "/ask" && desk.mayHave(domain)) return void res.writeHead(200).end();
      void refuse(res);
    } catch {
      // A table or a policy that can't be read is no permission; whoever has to read it for other reasons says so.
      res.writeHead(503).end();
    }
  });
}
