import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { answers, frameworkDeploys, succeeded } from "../support/platform/framework-deploys.ts";
import { LANGUAGE_FIXTURES, readFixture } from "../support/platform/framework-fixtures.ts";

const { describeFramework, setup } = frameworkDeploys();
const run = promisify(execFile);

for (const fixture of LANGUAGE_FIXTURES) describeFramework(fixture);

test("a key that Django's settings take from the environment is in no layer, and the build needs none", async () => {
  const files = readFixture("django");
  const settings = String(files["mysite/settings.py"]);
  const canary = "canary-2b9d41c07e";
  await setup().createApp("keyed", {
    ...files,
    "requirements.txt": "Django\nwhitenoise\ndj-database-url\npsycopg2-binary\n",
    "mysite/settings.py": settings.replace(/^SECRET_KEY = .*$/m, "import os\nSECRET_KEY = os.environ['SECRET_KEY']"),
  });
  await setup().platform.api("PUT", "/api/apps/keyed/env", { env: { SECRET_KEY: canary } });
  const { deploy, steps } = await succeeded(setup(), "keyed");
  await answers(setup(), "keyed", "/", "The answer is 42");
  const { stdout } = await run("docker", ["images", "--quiet", "--filter", `label=svc.deploy=${deploy.id}`]);
  const image = stdout.trim().split("\n")[0]!;
  const history = await run("docker", ["history", "--no-trunc", image]);
  const found = await run("sh", ["-c", 'docker save "$0" | grep -a -c -F "$1" || true', image, canary]);
  expect(found.stdout.trim()).toBe("0");
  expect(JSON.stringify([history.stdout, steps])).not.toContain(canary);
});
