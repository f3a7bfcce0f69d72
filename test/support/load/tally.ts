/** The results of the requests of one phase of a load. */
export interface PhaseResult {
  seconds: number;
  sent: number;
  answered: number;
  /** Kind of request, and why it has no right answer → how often. */
  lost: Record<string, number>;
  /** Kind of request → how many were sent. */
  kinds: Record<string, number>;
  /** Releases that answered. */
  releases: string[];
  /** Milliseconds; of the quick requests alone. */
  p50: number;
  p99: number;
  longest: number;
}

/** Counts one phase; a request belongs to the phase in which it was sent. */
export class Tally {
  #startedAt = performance.now();
  #secondsBefore = 0;
  readonly #lost: Record<string, number> = {};
  readonly #kinds: Record<string, number> = {};
  readonly #releases = new Set<string>();
  readonly #quickMs: number[] = [];
  #sent = 0;
  #answered = 0;
  #endedAt: number | undefined;

  sent(kind: string): void {
    this.#sent++;
    this.#kinds[kind] = (this.#kinds[kind] ?? 0) + 1;
  }

  answered(release: string, tookMs: number, isQuick: boolean): void {
    this.#answered++;
    this.#releases.add(release);
    if (isQuick) this.#quickMs.push(tookMs);
  }

  lost(kind: string, reason: string): void {
    const key = `${kind}: ${reason}`;
    this.#lost[key] = (this.#lost[key] ?? 0) + 1;
  }

  /** Nothing more is sent in this phase, unless it is resumed. */
  end(): void {
    this.#endedAt ??= performance.now();
  }

  resume(): void {
    this.#secondsBefore = this.#seconds();
    this.#startedAt = performance.now();
    this.#endedAt = undefined;
  }

  #seconds(): number {
    return this.#secondsBefore + ((this.#endedAt ?? performance.now()) - this.#startedAt) / 1000;
  }

  result(): PhaseResult {
    const sorted = Float64Array.from(this.#quickMs).sort();
    const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
    return {
      seconds: this.#seconds(),
      sent: this.#sent,
      answered: this.#answered,
      lost: this.#lost,
      kinds: this.#kinds,
      releases: [...this.#releases],
      p50: at(0.5),
      p99: at(0.99),
      longest: at(1),
    };
  }
}
