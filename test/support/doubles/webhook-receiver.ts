import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { makeServerCertificates } from "./certificates.ts";
import { eventually } from "../tools/eventually.ts";

export interface Received {
  path: string;
  headers: IncomingMessage["headers"];
  body: Buffer;
  atMs: number;
}

/** The answer to the n-th request (from 1) to a path. */
export type Behaviour = (response: ServerResponse, n: number) => void;

export const answer =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    void response.writeHead(status, headers).end("thank you");

export interface WebhookReceiver {
  port: number;
  /** The authority of its certificate, which is for `localhost`, `names` and the loopback addresses. */
  caPem: string;
  received: Received[];
  at(path: string): Received[];
  /** Resolves when at least `count` have come to the path. */
  arrived(path: string, count: number): Promise<Received[]>;
  /** 200 unless set. */
  behave(path: string, behaviour: Behaviour): void;
  /** Lets requests that hang go. */
  stop(): Promise<void>;
}

/** A receiver as its users would write one, over HTTPS on loopback. */
export async function startWebhookReceiver(names: readonly string[] = ["localhost"]): Promise<WebhookReceiver> {
  const { caPem, cert, key } = makeServerCertificates(names);
  const received: Received[] = [];
  const behaviours = new Map<string, Behaviour>();
  const at = (path: string): Received[] => received.filter((one) => one.path === path);

  const server = createServer({ cert, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const path = request.url ?? "";
      received.push({ path, headers: request.headers, body: Buffer.concat(chunks), atMs: performance.now() });
      (behaviours.get(path) ?? answer(200))(response, at(path).length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    port: (server.address() as AddressInfo).port,
    caPem,
    received,
    at,
    arrived: (path, count) =>
      eventually(
        () => at(path),
        (those) => those.length >= count,
        { what: `${count} requests to ${path}` },
      ),
    behave: (path, behaviour) => void behaviours.set(path, behaviour),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The check of the specification (Events), in the receiver's own words. */
export function isSigned({ headers, body }: Received, secret: string): boolean {
  const given = /^sha256=([0-9a-f]{64})$/.exec(String(headers["x-service-signature"]))?.[1];
  if (given === undefined) return false;
  const expected = createHmac("sha256", Buffer.from(secret, "utf8"));
  expected.update(body);
  return timingSafeEqual(Buffer.from(given, "hex"), expected.digest());
}
