import { connect, type TLSSocket } from "node:tls";
import type { Clock } from "@svc/shared/platform/clock.ts";
import { parseHostPort, type HostPort } from "@svc/shared/platform/env.ts";
import { ALPN_ENROLMENT, serverDnsName } from "@svc/shared/rules/fleet-identity.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import type { ControlPlaneCredentials } from "../authority/control-plane-credentials.ts";

export interface DialledServer {
  id: string;
  name: string;
  /** host:port */
  listenAddress: string;
}

export interface DiallerOptions {
  server: DialledServer;
  credentials: ControlPlaneCredentials;
  clock: Clock;
  log: Logger;
  timing: DialTiming;
  /** Resolves when the connection is of no more use. */
  onConnected(socket: TLSSocket): Promise<void>;
}

export interface DialTiming {
  connectMs: number;
  retryMsMin: number;
  retryMsMax: number;
}

/** A restarting agent is met again within a second, and one that is gone costs two connections a minute. */
export const dialTiming: DialTiming = { connectMs: 10_000, retryMsMin: 500, retryMsMax: 30_000 };

/** A connection that lived less than this was refused rather than lost: dialling goes on ever more slowly. */
const STABLE_MS = 10_000;

/** Keeps a connection to an agent that waits to be dialled (SVC_AGENT_LISTEN), until the signal is aborted. */
export async function keepDialling(options: DiallerOptions, signal: AbortSignal): Promise<void> {
  const { server, clock, timing } = options;
  const log = options.log.child({ serverId: server.id, server: server.name, address: server.listenAddress });
  let retryMs = timing.retryMsMin;
  while (!signal.aborted) {
    try {
      const socket = await dial(options, signal);
      const connectedAt = performance.now();
      await options.onConnected(socket);
      if (performance.now() - connectedAt >= STABLE_MS) retryMs = timing.retryMsMin;
    } catch (error) {
      if (signal.aborted) return;
      // Once per absence for people, each time for whoever looks closely.
      log[retryMs === timing.retryMsMin ? "warn" : "debug"]({ err: error }, "could not reach the agent; trying again");
    }
    // Returns between half and all of the pause, so that agents that vanished together are not dialled together.
    await clock.sleep(retryMs * (0.5 + Math.random() / 2), signal).catch(() => undefined);
    retryMs = Math.min(retryMs * 2, timing.retryMsMax);
  }
}

function dial({ server, credentials, timing }: DiallerOptions, signal: AbortSignal): Promise<TLSSocket> {
  const { host, port } = addressOf(server);
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...credentials.tlsOptions(),
      host,
      port,
      // The certificate proves who the agent is, not where it is.
      servername: serverDnsName(server.id),
      ALPNProtocols: [ALPN_ENROLMENT],
    });
    const fail = (error: Error): void => {
      settle();
      socket.destroy();
      reject(error);
    };
    const onAbort = (): void => fail(new Error("dialling was stopped"));
    const timer = setTimeout(
      () => fail(new Error(`no TLS connection within ${timing.connectMs} ms`)),
      timing.connectMs,
    );
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    socket.on("error", fail);
    socket.once("secureConnect", () => {
      settle();
      resolve(socket);
    });
  });
}

function addressOf({ listenAddress }: DialledServer): HostPort {
  const address = parseHostPort(listenAddress);
  if (!address) throw new Error(`${listenAddress} is not host:port`);
  return address;
}

/** Agents renew at two thirds of a certificate's life: by then there is a newer one to dial with. */
const REFRESH_AFTER = 0.8;

/**
 * When to dial anew although the connection lives: with the newest certificates, and early enough for the calls on the
 * old connection to finish before it expires.
 */
export function refreshTime(...notAfter: readonly (Date | undefined)[]): Date {
  const now = Date.now();
  const end = Math.min(...notAfter.map((time) => time?.getTime() ?? now));
  return new Date(now + (end - now) * REFRESH_AFTER);
}
