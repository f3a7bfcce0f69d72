import { cpus } from "node:os";
import type { Reporter, TestModule } from "vitest/node";

/** So many of the slowest files are shown, and only after a run of more. */
const SLOWEST_FILES = 20;

interface Moment {
  at: number;
  /** Milliseconds of all processors since the machine's start; so is `idle`. */
  busy: number;
  idle: number;
}

/**
 * Ends a run with where its time went, and with one line that a person, or a machine, can read: how many tests passed,
 * failed and were skipped.
 */
export class ClosingLineReporter implements Reporter {
  /** Project → from its first file's start to its last one's end. */
  private readonly spans = new Map<string, { start: Moment; end: Moment }>();

  onTestModuleStart(module: TestModule): void {
    const end = now();
    const { start } = this.spans.get(module.project.name) ?? { start: end };
    this.spans.set(module.project.name, { start, end });
  }

  onTestModuleEnd(module: TestModule): void {
    const span = this.spans.get(module.project.name);
    if (span) span.end = now();
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    if (modules.length > SLOWEST_FILES) process.stdout.write(this.times(modules));
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      if (module.state() === "failed" && [...module.children.allTests()].length === 0) counts.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed" || state === "failed") counts[state] += 1;
        else counts.skipped += 1;
      }
    }
    process.stdout.write(`\ntests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  }

  private times(modules: readonly TestModule[]): string {
    const projects = [...this.spans].map(
      ([name, { start, end }]) => `  ${seconds(end.at - start.at)}  ${busyPercent(start, end)}  ${name}`,
    );
    const slowest = modules.toSorted((a, b) => b.diagnostic().duration - a.diagnostic().duration);
    const files = slowest
      .slice(0, SLOWEST_FILES)
      .map((module) => `  ${seconds(module.diagnostic().duration)}  ${module.relativeModuleId}`);
    return [
      "",
      "Time of each project, and how busy the processors were:",
      ...projects,
      "Slowest files:",
      ...files,
      "",
    ].join("\n");
  }
}

function now(): Moment {
  const times = cpus().map(({ times: { idle, ...others } }) => ({ idle, busy: sum(Object.values(others)) }));
  return { at: Date.now(), busy: sum(times.map(({ busy }) => busy)), idle: sum(times.map(({ idle }) => idle)) };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

function busyPercent(start: Moment, end: Moment): string {
  const [busy, idle] = [end.busy - start.busy, end.idle - start.idle];
  return `${((100 * busy) / Math.max(1, busy + idle)).toFixed(0).padStart(3)} %`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1).padStart(6)} s`;
}
