import { frameworkDeploys } from "../support/framework-deploys.ts";

const { describeFramework } = frameworkDeploys();

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
