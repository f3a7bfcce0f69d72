import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { answers, frameworkDeploys, succeeded } from "../support/platform/framework-deploys.ts";
import { NODE_FIXTURES } from "../support/platform/framework-fixtures.ts";

const run = promisify(execFile);
const { appOf, describeFramework, setup } = frameworkDeploys();

for (const fixture of NODE_FIXTURES) describeFramework(fixture);

test("a single-page app answers every path with its page, but not those of built files that are gone", async () => {
  const app = "vite";
  await appOf(app);
  await succeeded(setup(), app);
  const page = await setup().platform.fetchApp(app, "/deep/link");
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page.body)?.[1];
  expect(script).toBeDefined();
  const built = await setup().platform.fetchApp(app, script);
  expect(built).toMatchObject({ status: 200, body: expect.stringContaining("Get started") });
  expect((await setup().platform.fetchApp(app, "/assets/gone-of-yesterday.js")).status).toBe(404);
  expect((await setup().platform.fetchApp(app, "/favicon.svg")).body).toContain("<svg");
});

const SECRET = "canary-5d0c7ab2f1";
const GREETING = "greeting-91be44";

/** Says what the build saw, and what the running server sees. */
const FILES = {
  "package.json": JSON.stringify({ scripts: { build: "node build.js", start: "node server.js" } }),
  "build.js": `const { PUBLIC_GREETING, SECRET = "none" } = process.env;
require("node:fs").writeFileSync("built.txt", ["built", PUBLIC_GREETING, SECRET].join(" "));`,
  "server.js": `const built = require("node:fs").readFileSync("built.txt", "utf8");
const page = built + ", running " + process.env.SECRET?.length;
require("node:http").createServer((_, res) => res.end(page)).listen(process.env.PORT);`,
};

test("a build sees public variables alone; a secret is in no layer, history, output, event or log", async () => {
  const app = "with-variables";
  const { platform } = setup();
  await setup().createApp(app, FILES);
  const env = { SECRET, PUBLIC_GREETING: GREETING };
  expect((await platform.api("PUT", `/api/apps/${app}/env`, { env })).status).toBe(200);
  const { deploy, steps } = await succeeded(setup(), app);
  await answers(setup(), app, "/", `built ${GREETING} none, running ${SECRET.length}`);

  const filter = `label=svc.deploy=${deploy.id}`;
  const { stdout: images } = await run("docker", ["images", "--quiet", "--no-trunc", "--filter", filter]);
  const image = images.trim().split("\n")[0]!;
  expect(await linesInLayers(image, GREETING)).toBeGreaterThan(0);
  expect(await linesInLayers(image, SECRET)).toBe(0);
  const history = await run("docker", ["history", "--no-trunc", image]);
  const inspected = await run("docker", ["image", "inspect", image]);
  const query = "select payload::text from deploy_events where deploy_id = $1";
  const { rows } = await platform.database.query(query, [deploy.id]);
  const logs = [platform.controlPlane.log, platform.agent.log].map((path) => readFileSync(path, "utf8"));
  const everything = JSON.stringify([steps, history.stdout, inspected.stdout, rows, logs]);
  expect(everything).not.toContain(SECRET);
});

/** Lines of the image's files, all layers and its own description, that hold the text. */
async function linesInLayers(image: string, text: string): Promise<number> {
  const script = 'docker save "$0" | grep -a -c -F "$1" || true';
  return Number((await run("sh", ["-c", script, image, text])).stdout);
}
