import type { Clock } from "@svc/shared/platform/clock.ts";
import { DOWN_MS_MIN } from "../engine/containers/app-health.ts";
import { parseUpstream } from "./routes.ts";
import { probeTcp } from "../platform/tcp-probe.ts";

/** The kernel needs 3 s to say that nobody has an address (EHOSTUNREACH). */
const PROBE_MS_MAX = 4_000;

interface UpstreamState {
  /** Milliseconds since 1970; undefined when it accepted a connection when it was asked last. */
  failingSince: number | undefined;
  isToldAsDown: boolean;
}

/** Which upstreams (address:port) accept connections, as each was asked last. */
export class UpstreamStates {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  readonly #states = new Map<string, UpstreamState>();
  readonly #asked = new Map<string, Promise<string | undefined>>();

  /** @param onChange an upstream has failed for as long as makes its app unhealthy, or accepts again after that */
  constructor(clock: Clock, onChange: () => void = () => undefined) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Asks for a connection; who asks while one is being asked for gets the same answer. @returns why there is none */
  ask(upstream: string): Promise<string | undefined> {
    const asked = this.#asked.get(upstream) ?? this.#probe(upstream).finally(() => this.#asked.delete(upstream));
    this.#asked.set(upstream, asked);
    return asked;
  }

  /** Milliseconds since 1970; undefined when it accepts. One that was never asked is asked. */
  async failingSince(upstream: string): Promise<number | undefined> {
    if (!this.#states.has(upstream)) await this.ask(upstream);
    return this.#states.get(upstream)?.failingSince;
  }

  /** Since when none of them accepts; undefined while one does, and where there is none to ask. */
  async allFailingSince(upstreams: readonly string[]): Promise<number | undefined> {
    const since = await Promise.all(upstreams.map((upstream) => this.failingSince(upstream)));
    return since.some((each) => each === undefined) || since.length === 0
      ? undefined
      : Math.max(...(since as number[]));
  }

  isAsked(upstream: string): boolean {
    return this.#asked.has(upstream);
  }

  isKnown(upstream: string): boolean {
    return this.#states.has(upstream);
  }

  isFailing(upstream: string): boolean {
    return this.#states.get(upstream)?.failingSince !== undefined;
  }

  keepOnly(upstreams: { has(upstream: string): boolean }): void {
    for (const known of this.#states.keys()) if (!upstreams.has(known)) this.#states.delete(known);
  }

  async #probe(upstream: string): Promise<string | undefined> {
    const parts = parseUpstream(upstream);
    const failure = parts ? await probeTcp(parts.address, parts.port, PROBE_MS_MAX) : "no address";
    const now = this.#clock.now().getTime();
    const before = this.#states.get(upstream);
    const failingSince = failure === undefined ? undefined : (before?.failingSince ?? now);
    const isDown = failingSince !== undefined && now - failingSince >= DOWN_MS_MIN;
    this.#states.set(upstream, { failingSince, isToldAsDown: isDown });
    if (isDown !== (before?.isToldAsDown ?? false)) this.#onChange();
    return failure;
  }
}
