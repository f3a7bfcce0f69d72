import type { Reporter, SerializedError, TestModule, TestRunEndReason, TestSpecification, Vitest } from "vitest/node";
import { PROMISES } from "../../promises.ts";
import { brokenPromises, type EndedTest } from "./broken-promises.ts";
import "./promise.ts";

const listed = Object.entries(PROMISES).flatMap(([section, lines]) => lines.map((line) => `${section}: ${line}`));

/** Fails a run that breaks a promise, and tells which. It sees the tests of all workers and processes. */
export class PromisesReporter implements Reporter {
  private vitest: Vitest | undefined;
  private isWhole = false;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  async onTestRunStart(specifications: readonly TestSpecification[]): Promise<void> {
    const { vitest } = this;
    if (!vitest) return;
    const all = await vitest.globTestSpecifications();
    this.isWhole = specifications.length === all.length && vitest.config.project.length === 0 && !this.isByName();
  }

  onTestRunEnd(modules: readonly TestModule[], _errors: readonly SerializedError[], reason: TestRunEndReason): void {
    if (reason === "interrupted") return;
    const ended = modules.flatMap(endedTests);
    // A run of chosen names skips the others, which breaks nothing.
    const tests = this.isByName() ? ended.filter(({ state }) => state !== "skipped") : ended;
    const broken = brokenPromises(listed, tests, { isWhole: this.isWhole });
    if (broken.length === 0) return;
    process.stderr.write(`\nPromises that are not kept:\n${broken.map((sentence) => `  ${sentence}\n`).join("")}`);
    process.exitCode = 1;
  }

  private isByName(): boolean {
    return this.vitest?.config.testNamePattern !== undefined;
  }
}

function endedTests(module: TestModule): EndedTest[] {
  return [...module.children.allTests()].map((test) => {
    const { state } = test.result();
    const { promises = [] } = test.meta();
    // A test that is expected to fail shows nothing, and one that never came to an end shows no more.
    const counts = (state === "passed" || state === "failed") && !test.options.fails;
    return { name: test.fullName, state: counts ? state : "skipped", promises };
  });
}
