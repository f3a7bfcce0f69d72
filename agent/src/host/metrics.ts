import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { RunKey } from "../runner/journal-run.ts";

/** The buckets reach from a cached build to the longest that is allowed by default. */
const BUILD_SECONDS_BUCKETS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800];

interface Sources {
  linkUp: () => boolean;
  lockHeld: () => boolean;
}

/** The agent's counters, read at /metrics with the token. */
export class Metrics {
  readonly registry = new Registry();
  readonly #runs: Counter<"step" | "outcome">;
  readonly #events: Counter<"step">;
  readonly #build: Histogram;

  constructor(sources: Sources) {
    const registers = [this.registry];
    this.registry.registerMetric(gauge("svc_agent_link_up", "1 while a control plane is connected", sources.linkUp));
    this.registry.registerMetric(gauge("svc_agent_lock_held", "1 while a deploy holds the lock", sources.lockHeld));
    this.#runs = new Counter({
      name: "svc_agent_step_runs_total",
      help: "Runs of steps that have ended",
      labelNames: ["step", "outcome"],
      registers,
    });
    this.#events = new Counter({
      name: "svc_agent_step_events_total",
      help: "Events that runs have put into the journal",
      labelNames: ["step"],
      registers,
    });
    this.#build = new Histogram({
      name: "svc_agent_build_seconds",
      help: "Duration of successful runs of clone_build",
      buckets: BUILD_SECONDS_BUCKETS,
      registers,
    });
  }

  runEnded({ step }: RunKey, { outcome, seconds, events }: { outcome: string; seconds: number; events: number }): void {
    this.#runs.inc({ step, outcome });
    this.#events.inc({ step }, events);
    if (step === "clone_build" && outcome === "success") this.#build.observe(seconds);
  }
}

/** 1 or 0, as the source says when somebody reads. */
function gauge(name: string, help: string, source: () => boolean): Gauge {
  return new Gauge({
    name,
    help,
    registers: [],
    collect() {
      this.set(source() ? 1 : 0);
    },
  });
}
