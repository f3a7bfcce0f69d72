import { afterAll, beforeAll, expect, test } from "vitest";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";

let setup: PlatformWithGit;

beforeAll(async () => {
  setup = await startPlatformWithGit();
});
afterAll(() => setup?.stop());

const json = (value: object): string => JSON.stringify({ private: true, ...value });

test("the built site is served when its start script is for development, and every path is its page", async () => {
  await setup.createApp("single", {
    "package.json": json({
      name: "single",
      // Writes its site where the tool does: the tool itself has more than a thousand dependencies.
      scripts: { start: "react-scripts start", build: "node make.js" },
      devDependencies: { "react-scripts": "file:tool" },
    }),
    "tool/package.json": json({ name: "react-scripts", version: "5.0.1" }),
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
    "package.json": json({
      name: "nothing",
      scripts: { start: "react-scripts start", build: "node -e 0" },
      devDependencies: { "react-scripts": "file:tool" },
    }),
    "tool/package.json": json({ name: "react-scripts", version: "5.0.1" }),
    "public/index.html": "a source",
  });
  const { deploy } = await setup.platform.deploy("nothing");
  expect(deploy).toMatchObject({ status: "failed", error: expect.stringContaining("Create React App writes `build`") });
});
