import { afterAll, beforeAll, expect, test } from "vitest";
import { answers, succeeded } from "../support/framework-deploys.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform-with-git.ts";

let setup: PlatformWithGit;

beforeAll(async () => {
  setup = await startPlatformWithGit();
});
afterAll(() => setup?.stop());

const PAGE_OF_ARGUMENTS = `const [port, word] = process.argv.slice(2);
require("node:http").createServer((_, res) => res.end(word + " on " + port)).listen(port);
`;

test("a Procfile's web line starts the app, and the log names what is not run", { timeout: 300_000 }, async () => {
  const app = "with-procfile";
  await setup.createApp(app, {
    "package.json": JSON.stringify({ scripts: { start: "node gone.js" } }),
    "page.js": PAGE_OF_ARGUMENTS,
    Procfile: "web: node page.js $PORT started\nworker: node worker.js\n",
  });
  const { steps } = await succeeded(setup, app);
  expect(steps[1]!.output).toContain("Of the Procfile only `web` is run. Not run: worker.");
  await answers(setup, app, "/", "started on 3000");
});
