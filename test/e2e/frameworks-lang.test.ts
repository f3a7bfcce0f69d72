import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { answers, frameworkDeploys, readFixture, succeeded } from "../support/framework-deploys.ts";

const { describeFramework, setup } = frameworkDeploys();
const run = promisify(execFile);

describeFramework({
  fixture: "fastapi",
  change: { file: "main.py", from: "6 * 7", to: "6 * 8" },
  path: "/",
  expected: '"answer":42',
  expectedAfter: '"answer":48',
});

describeFramework({
  fixture: "django",
  change: { file: "mysite/urls.py", from: "6 * 7", to: "6 * 8" },
  path: "/",
  // The name of a static file ends in a hash only when files were collected while building.
  expected: /The answer is 42; styles are at \/static\/admin\/css\/base\.[0-9a-f]{12}\.css/,
  expectedAfter: "The answer is 48",
});

describeFramework({
  fixture: "flask",
  change: { file: "app/templates/index.html", from: "The answer is", to: "Changed to" },
  path: "/",
  expected: "The answer is 42.",
  expectedAfter: "Changed to 42.",
});

describeFramework({
  fixture: "go",
  change: { file: "main.go", from: "6*7", to: "6*8" },
  path: "/",
  expected: "the answer is 42",
  expectedAfter: "the answer is 48",
});

describeFramework({
  fixture: "rust",
  change: { file: "src/main.rs", from: "6 * 7", to: "6 * 8" },
  path: "/",
  expected: "the answer is 42",
  expectedAfter: "the answer is 48",
});

describeFramework({
  fixture: "rails",
  change: { file: "app/controllers/answers_controller.rb", from: "6 * 7", to: "6 * 8" },
  path: "/",
  expected: "The answer is 42.",
  expectedAfter: "The answer is 48.",
});

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
