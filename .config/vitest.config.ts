import { defineConfig } from "vitest/config";
import { ClosingLineReporter } from "./closing-line-reporter.ts";

/**
 * Three sets, in this order: what needs nothing, what needs PostgreSQL, Docker or Caddy, and whole deploys. The last
 * two share one engine and two cores, so their files run one after the other.
 */
export default defineConfig({
  test: {
    reporters: ["default", new ClosingLineReporter()],
    projects: [
      {
        test: {
          name: "unit",
          include: ["{shared,control-plane,agent,cli}/src/**/*.test.ts", "deploy/**/*.test.{ts,mjs}", "test/*.test.ts"],
        },
      },
      {
        test: {
          name: "integration",
          include: ["test/{contract,integration}/**/*.test.ts"],
          globalSetup: ["test/support/global-setup.ts"],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/{e2e,faults}/**/*.test.ts"],
          globalSetup: ["test/support/global-setup.ts"],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
