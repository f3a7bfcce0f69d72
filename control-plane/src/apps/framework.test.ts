import { planOf } from "@svc/shared/frameworks/testing.ts";
import { expect, it } from "vitest";
import { impliedPort } from "./framework.ts";

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

it.each(Object.entries(APPS))("the port that %s implies is the one that it is built with", (name, files) => {
  const plan = planOf(files);
  expect(plan.framework).toBe(name);
  expect(plan.port).toBe(impliedPort(name));
});
