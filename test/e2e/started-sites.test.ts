import { afterAll, beforeAll, expect, test } from "vitest";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform-with-git.ts";

let setup: PlatformWithGit;

beforeAll(async () => {
  setup = await startPlatformWithGit();
});
afterAll(() => setup?.stop());

const json = (value: object): string => JSON.stringify({ private: true, ...value });

test("a Procfile's web line starts the app, with its variables, and the rest of it is said not to run", async () => {
  const answers = (text: string) =>
    `require("node:http").createServer((_, res) => res.end(${text})).listen(Number(process.argv[2]));\n`;
  await setup.createApp("heroku", {
    "package.json": json({ name: "heroku", scripts: { start: "node wrong.js" } }),
    "wrong.js": "process.exit(1);\n",
    "right.js": answers('"started by the Procfile"'),
    Procfile: "release: node migrate.js\nweb: node right.js $PORT\n",
  });
  const { deploy, steps } = await setup.platform.deploy("heroku");
  expect(deploy).toMatchObject({ status: "success" });
  expect((await setup.platform.fetchApp("heroku")).body).toBe("started by the Procfile");
  expect(JSON.stringify(steps)).toContain("Of the Procfile nothing else is run: release.");
});

test("what a tool builds is served when its start script is for development, and every path is its page", async () => {
  await setup.createApp("single", {
    "package.json": json({
      name: "single",
      // Writes its site where the tool does; the tool itself is not needed for that.
      scripts: { start: "react-scripts start", build: "node make.js" },
    }),
    "make.js": 'const fs = require("fs"); fs.mkdirSync("build"); fs.writeFileSync("build/index.html", "the page");\n',
    "public/index.html": "a source",
  });
  const { deploy } = await setup.platform.deploy("single");
  expect(deploy).toMatchObject({ status: "success" });
  for (const path of ["/", "/users/7"]) expect((await setup.platform.fetchApp("single", path)).body).toBe("the page");
  expect((await setup.platform.fetchApp("single", "/make.js")).body).toBe("the page");
});

test("a build that makes no page fails, and no source is served", async () => {
  await setup.createApp("nothing", {
    "package.json": json({ name: "nothing", scripts: { start: "ng serve", build: "node -e 0" } }),
    "src/index.html": "a source",
  });
  const { deploy } = await setup.platform.deploy("nothing");
  expect(deploy).toMatchObject({ status: "failed", error: expect.stringContaining("made no index.html") });
});
