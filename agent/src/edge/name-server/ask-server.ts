import { createServer, type Server } from "node:http";
import type { CertificateDesk } from "../certificates/certificate-desk.ts";

/**
 * Answers the proxy: permission for a certificate (`/ask?domain=`). For the agent: what is known of one
 * (`/certificate?domain=`), and `/healthz`.
 */
export function createAskServer(desk: Pick<CertificateDesk, "mayHave" | "describe">, health: () => object): Server {
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
      const permitted = url.pathname === "/ask" && desk.mayHave(domain);
      res.writeHead(permitted ? 200 : 404).end();
    } catch {
      // A table or a policy that can't be read is no permission; whoever has to read it for other reasons says so.
      res.writeHead(503).end();
    }
  });
}
