import { afterAll, beforeAll, expect, test } from "vitest";
import { answers, succeeded } from "../support/platform/framework-deploys.ts";
import { readFixture } from "../support/platform/framework-fixtures.ts";
import type { TestRepository } from "../support/doubles/git-host.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";

let setup: PlatformWithGit;

beforeAll(async () => {
  setup = await startPlatformWithGit();
});
afterAll(() => setup?.stop());

const PAGE_OF_ARGUMENTS = `const [port, word] = process.argv.slice(2);
require("node:http").createServer((_, res) => res.end(word + " on " + port)).listen(port);
`;

test("a Procfile's web line starts the app, and the log names what is not run", { timeout: 900_000 }, async () => {
  const app = "with-procfile";
  await setup.createApp(app, {
    "package.json": JSON.stringify({ scripts: { start: "node gone.js" } }),
    "page.js": PAGE_OF_ARGUMENTS,
    Procfile: "web: node page.js $PORT started\nworker: node worker.js\n",
  });
  const { steps } = await succeeded(setup, app);
  expect(steps[1]!.output).toContain("Only `web` of the Procfile is run. Not run: worker.");
  await answers(setup, app, "/", "started on 3000");
});

/** Two apps and a package that both use; with the files of a package manager, or of a task runner. */
const repositoryOf = (name: string) => ({ ...readFixture("common", "workspaces"), ...readFixture(name, "workspaces") });

test.each([
  ["npm", /Node 22, npm/, []],
  ["pnpm", /pnpm 10/, []],
  // It installs what all packages of a workspace need.
  ["yarn1", /yarn 1/, ["is-odd", "is-number"]],
  ["yarn4", /yarn 4/, []],
  ["turbo", /@acme\/words:build/, []],
])(
  "each app of a workspace of %s is built with what it depends on, and holds nothing of the other",
  { timeout: 900_000 },
  async (name, said, others) => {
    for (const app of ["web", "api"]) {
      const repository = await setup.createApp(`${name}-${app}`, repositoryOf(name), { root: `apps/${app}` });
      const { steps } = await succeeded(setup, `${name}-${app}`);
      expect(steps[1]!.output).toMatch(said);
      const own = app === "web" ? { number: true } : { others };
      await answers(setup, `${name}-${app}`, "/", JSON.stringify({ app, word: "2m", ...own }));
      if (name === "npm" && app === "web") await expectCachedDependencies(repository);
    }
  },
);

/** A change of a source of a package leaves what is installed as it is. */
async function expectCachedDependencies(repository: TestRepository): Promise<void> {
  const path = "packages/words/build.js";
  await repository.commit({ [path]: String(repositoryOf("npm")[path]).replace("120000", "180000") });
  const { steps } = await succeeded(setup, "npm-web");
  await answers(setup, "npm-web", "/", '"word":"3m"');
  const lines = (steps[1]!.output ?? "").split("\n");
  const installs = lines.flatMap((line) => /^(#\d+) \[.*\] RUN .*npm ci/.exec(line)?.slice(1, 2) ?? []);
  expect(installs).toHaveLength(2);
  for (const step of installs) expect(lines).toContain(`${step} CACHED`);
}
