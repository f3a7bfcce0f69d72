import { expect, it, test } from "vitest";
import { FRAMEWORK_NAMES, impliedPort } from "../rules/frameworks.ts";
import { FRAMEWORKS } from "./table.ts";
import { planOf } from "./testing.ts";

const APPS = {
  fastapi: { "requirements.txt": "fastapi", "main.py": "app = FastAPI()" },
  django: { "manage.py": '"DJANGO_SETTINGS_MODULE", "a.settings"', "requirements.txt": "django", "a/wsgi.py": "" },
  flask: { "requirements.txt": "flask", "app.py": "app = Flask(__name__)" },
  go: { "go.mod": "module a", "main.go": "package main\nfunc main() {}" },
  rust: { "Cargo.toml": '[package]\nname = "a"', "src/main.rs": "" },
  rails: { Gemfile: 'gem "rails"', "config/application.rb": "" },
  express: { "package.json": '{"scripts":{"start":"node a.js"},"dependencies":{"express":"5"}}' },
  static: { "index.html": "" },
};

it.each(Object.keys(APPS) as (keyof typeof APPS)[])(
  "the port that %s implies is the one that it is built with",
  (name) => {
    const plan = planOf(APPS[name]);
    expect(plan.framework).toBe(name);
    expect(plan.port).toBe(impliedPort(name));
  },
);

test("the API and the spec file take exactly the frameworks that can be built", () => {
  expect([...new Set(FRAMEWORKS.map(({ name }) => name))].toSorted()).toEqual(FRAMEWORK_NAMES.toSorted());
});
