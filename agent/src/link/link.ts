import { setTimeout as sleep } from "node:timers/promises";
import { formatHostPort, type HostPort } from "@svc/shared/platform/env.ts";
import { ALPN_LINK } from "@svc/shared/rules/fleet-identity.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { backoffMs } from "../platform/backoff.ts";
import { isErrno } from "../platform/durable-file.ts";
import { Connection, pingTiming, type Attach, type PingTiming } from "./connection.ts";
import { connectTls, controlPlaneTls } from "./control-plane-tls.ts";
import type { Identity } from "./identity.ts";

interface Options {
  controlPlane: HostPort;
  identity: Identity;
  attach: Attach;
  log: Logger;
  onChange: (up: boolean) => void;
  ping?: PingTiming;
}

/** The first bytes of a control plane that has accepted us take one round trip. */
const ESTABLISH_MS = 10_000;

/** A link that lived less than this was refused rather than lost; dialling goes on ever more slowly. */
const STABLE_MS = 10_000;

/**
 * The longest pause while a control plane may be starting, whose deploys wait for this agent: nothing listens where it was,
 * or the link was in use until it broke. A refusal by its kernel costs nobody anything.
 */
const RESTART_MS_MAX = 2_000;

/** Is for the answers to calls that have just ended. */
const STOP_MS = 2000;

/**
 * The agent's side of the link: dials the control plane, is called over that connection, and dials again whenever it
 * is lost. A new certificate gets a connection of its own. The former one goes on answering until the control plane
 * ends it: only the caller knows from when on it calls over the new one.
 */
export class Link {
  readonly #options: Options;
  readonly #stopping = new AbortController();
  #identity: Identity;
  #current: { connection: Connection; identity: Identity } | undefined;
  /** Former ones too. */
  readonly #open = new Set<Connection>();
  #identityChanged = Promise.withResolvers<void>();
  #work: Promise<void> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
    this.#identity = options.identity;
  }

  start(): void {
    this.#work = this.#keepConnected();
  }

  /** Goes over to the new certificate without dropping a call. */
  useIdentity(identity: Identity): void {
    this.#identity = identity;
    this.#identityChanged.resolve();
    this.#identityChanged = Promise.withResolvers();
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("the agent stops"));
    const open = [...this.#open];
    for (const connection of open) connection.drain(STOP_MS);
    await Promise.all([...open.map(({ ended }) => ended), this.#work]);
  }

  async #keepConnected(): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    while (!signal.aborted) {
      const dialled = performance.now();
      let mayBeStarting = false;
      try {
        const connection = await this.#connect();
        await this.#untilDialIsNeeded();
        mayBeStarting = connection.wasCalled;
        failures = performance.now() - dialled < STABLE_MS && !this.#current ? failures + 1 : 0;
      } catch (err) {
        failures += 1;
        mayBeStarting = isErrno(err, "ECONNREFUSED");
        const to = formatHostPort(this.#options.controlPlane);
        if (!signal.aborted) this.#options.log.warn({ err, to, failures }, "could not link to the control plane");
      }
      const pauseMs = backoffMs(failures, mayBeStarting ? RESTART_MS_MAX : undefined);
      if (failures > 0) await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Dials with the newest identity; what was connected before ends with its certificate at the latest. */
  async #connect(): Promise<Connection> {
    const { controlPlane, attach, log, onChange, ping = pingTiming } = this.#options;
    const identity = this.#identity;
    const tls = { ...controlPlaneTls(identity.authorityPem, identity), ALPNProtocols: [ALPN_LINK] };
    const { signal } = this.#stopping;
    const connection = new Connection(await connectTls(controlPlane, tls, signal), attach, ping);
    const giveUp = (): void => connection.close();
    signal.addEventListener("abort", giveUp, { once: true });
    await connection.established(ESTABLISH_MS).finally(() => signal.removeEventListener("abort", giveUp));

    const former = this.#current;
    this.#current = { connection, identity };
    this.#open.add(connection);
    former?.connection.closeAfter(former.identity.notAfter.getTime() - Date.now());
    log.info({ to: formatHostPort(controlPlane), replaced: former !== undefined }, "link up");
    onChange(true);
    void connection.ended.then(() => {
      this.#open.delete(connection);
      if (this.#current?.connection !== connection) return;
      this.#current = undefined;
      log.info("link down");
      onChange(false);
    });
    return connection;
  }

  /** Resolves when the connection is lost, or there is a newer identity than its own, or the link stops. */
  async #untilDialIsNeeded(): Promise<void> {
    const identityChanged = this.#identityChanged.promise;
    if (!this.#current || this.#current.identity !== this.#identity) return;
    await Promise.race([this.#current.connection.ended, identityChanged]);
  }
}
