import { afterAll, beforeAll, expect, test } from "vitest";
import { answers, succeeded } from "../support/platform/framework-deploys.ts";
import { readFixture } from "../support/platform/framework-fixtures.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";

let setup: PlatformWithGit;

beforeAll(async () => {
  setup = await startPlatformWithGit();
});
afterAll(() => setup?.stop());

test.each([
  ["pnpm", "pnpm", /pnpm 10/],
  ["yarn1", "yarn", /yarn 1\./],
  ["yarn3", "yarn", /yarn 3/],
  ["yarn4", "yarn", /yarn 4/],
  ["bun", "bun", /bun 1/],
  ["npm-unlocked", "npm", /no package-lock\.json/],
])(
  "%s installs, builds with development dependencies, and leaves them behind where it can",
  { timeout: 900_000 },
  async (app, manager, note) => {
    await setup.createApp(app, readFixture(app, "managers"));
    const { steps } = await succeeded(setup, app);
    expect(steps[1]!.output).toMatch(note);
    // Yarn 3 needs a plugin for it.
    const development = app === "yarn3";
    const page = new RegExp(`^{"manager":"${manager}/[^"]+","odd":true,"development":${development}}$`);
    await answers(setup, app, "/", page);
  },
);
