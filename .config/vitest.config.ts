import { defineConfig } from "vitest/config";
import { PromisesReporter } from "../test/support/promises/promises-reporter.ts";
import { ClosingLineReporter } from "./closing-line-reporter.ts";
import { LongestFirst } from "./longest-first.ts";

/** They share one engine and two cores: a third file at a time makes the others late, and nothing sooner. */
const maxWorkers = 2;
const TOGETHER = { maxWorkers, sequence: { groupOrder: 1 } };
const WHOLE_DEPLOYS = { maxWorkers, sequence: { groupOrder: 2 } };

/** When all others have ended, one list after the other, that many files at a time. */
const APART = [
  // Give the engine's builds little memory, also those of others: beside them is what builds nothing.
  { maxWorkers: 3, include: ["test/integration/build/failures.test.ts", "test/integration/svc/*.test.ts"] },
  {
    maxWorkers: 3,
    include: ["test/e2e/bad-builds.test.ts", "test/integration/fleet/{admin,control-planes,links,members}.test.ts"],
  },
  // Holds a rate of requests: beside it is what mostly waits.
  { maxWorkers: 2, include: ["test/e2e/no-loss.test.ts", "test/integration/domains/certificates.test.ts"] },
  // Have seconds for something, and mostly wait for it: two more beside it leave it these.
  {
    maxWorkers: 3,
    include: ["test/integration/engine/app-health.test.ts", "test/e2e/{app-health,metrics}.test.ts"],
  },
  // Hold a higher rate, take what the machine has, or promise a time that a busy one can't hold.
  {
    maxWorkers: 1,
    include: [
      "test/integration/edge/{edge,many-routes,watch-upstreams}.test.ts",
      "test/integration/deploys/control-plane-kill.test.ts",
      "test/e2e/{neighbours,engine-return}.test.ts",
      "test/faults/{random-kills,engine-killed,disk-limits}.test.ts",
    ],
  },
];
const apart = APART.flatMap(({ include }) => include);

/** Reads the largest texts that anybody may send. It counts the processor's time, so that it runs beside what waits. */
const hostile = "{shared,agent}/src/**/{hostile,*.hostile}.test.ts";

/** A busy machine only takes longer: an awaited event comes, or it does not (see test/support/tools/eventually.ts). */
const patient = { expect: { poll: { timeout: 60_000 } } };
const integration = { testTimeout: 150_000, hookTimeout: 150_000, ...patient };
const e2e = { testTimeout: 400_000, hookTimeout: 400_000, ...patient };
/** Young objects are collected less often than with V8's own 1 to 16 MiB: each time wakes all of its threads. */
const execArgv = ["--min-semi-space-size=32", "--max-semi-space-size=64"];
/** A process for several files: one for each costs up to a second of a processor. Other changes each file puts back itself. */
const oneWorld = { execArgv, isolate: false, restoreMocks: true, unstubEnvs: true };
const shared = { globalSetup: ["test/support/global-setup.ts"], ...oneWorld };

/**
 * The projects run in this order: what needs nothing, what needs PostgreSQL, Docker or Caddy, and of that what others
 * would disturb.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    reporters: ["default", new PromisesReporter(), new ClosingLineReporter()],
    projects: [
      {
        test: {
          name: "unit",
          ...oneWorld,
          // Nothing runs beside them: the runner's own processor, which it leaves free by default, is idle.
          maxWorkers: "100%",
          include: [
            "{shared,control-plane,control-plane/dashboard,agent,cli}/src/**/*.test.ts",
            "deploy/**/*.test.{ts,mjs}",
            "test/{,sentences/}*.test.ts",
          ],
          exclude: [hostile],
          // A property tries a hundred texts: a busy machine only takes longer.
          testTimeout: 30_000,
          // Less than a test has, so that it fails with what was seen last.
          expect: { poll: { timeout: 20_000 } },
        },
      },
      {
        test: {
          name: "hostile",
          include: [hostile],
          ...oneWorld,
          testTimeout: 60_000,
          ...TOGETHER,
        },
      },
      {
        test: {
          name: "integration",
          include: ["test/{contract,integration}/**/*.test.ts"],
          exclude: apart,
          ...shared,
          ...integration,
          ...TOGETHER,
        },
      },
      {
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          ...shared,
          ...integration,
          ...TOGETHER,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/{e2e,faults}/**/*.test.ts"],
          exclude: apart,
          ...shared,
          ...e2e,
          ...WHOLE_DEPLOYS,
        },
      },
      ...APART.flatMap(({ maxWorkers: atOnce, include }, index) =>
        Object.entries({ integration, e2e, faults: e2e }).map(([room, limits]) => ({
          test: {
            name: `${room}-apart-${index + 1}`,
            include: include.filter((files) => files.startsWith(`test/${room}/`)),
            ...shared,
            ...limits,
            maxWorkers: atOnce,
            sequence: { groupOrder: WHOLE_DEPLOYS.sequence.groupOrder + 1 + index },
          },
        })),
      ),
    ],
  },
});
