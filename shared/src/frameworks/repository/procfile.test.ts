import { describe, expect, it } from "vitest";
import { SvcError } from "../../errors.ts";
import { EXPRESS, lastStage, LOCK, NEXT_APP, pkg, plan, text, VITE, type Files } from "../sample-repositories.ts";

function commandOf(files: Files, input: Parameters<typeof plan>[1] = {}): string | undefined {
  return /^CMD (.*)$/m.exec(lastStage(text(files, input)))?.[1];
}

const procfile = (...lines: string[]): Files => ({ Procfile: `${lines.join("\n")}\n` });

describe("the `web` line of a Procfile", () => {
  it.each([
    ["express", { ...EXPRESS, "cluster.js": "" }, "node cluster.js", '["node","cluster.js"]'],
    [
      "flask",
      { "requirements.txt": "flask\n", "app.py": "app = Flask()" },
      "gunicorn app:app",
      '["gunicorn","app:app"]',
    ],
    ["rails", { Gemfile: "gem 'rails'", "config/application.rb": "" }, "bin/web", '["bin/web"]'],
    ["go", { "go.mod": "module shop", "main.go": "package main\nfunc main() {}" }, "./shop -v", '["./shop","-v"]'],
  ])("starts an app of %s", (framework, files, line, command) => {
    const all: Files = { ...files, ...procfile(`web: ${line}`) };
    expect(plan(all).framework).toBe(framework);
    expect(commandOf(all)).toBe(command);
  });

  it("is run by a shell that gives it the port and leaves its place to the app", () => {
    const files = {
      "requirements.txt": "flask\n",
      "app.py": "app = Flask()",
      ...procfile("web: gunicorn -b :$PORT app:app"),
    };
    expect(commandOf(files)).toBe('["/bin/sh","-c","exec gunicorn -b :$PORT app:app"]');
  });

  it("gives way to a start command of the user's", () => {
    const files = { ...EXPRESS, ...procfile("web: node cluster.js") };
    expect(commandOf(files, { start: { form: "exec", words: ["node", "own.js"] } })).toBe('["node","own.js"]');
  });

  it("says nothing more than the start script where it is npm start", () => {
    for (const line of ["npm start", "yarn start", "npm run start"]) {
      expect(text({ ...NEXT_APP, ...procfile(`web: ${line}`) })).toBe(text(NEXT_APP));
    }
    const site = {
      ...pkg({ dev: ["vite"], scripts: { build: "vite build", start: "vite" } }),
      ...LOCK,
      "index.html": "",
    };
    expect(text({ ...site, ...procfile("web: npm start") })).toBe(text(site));
  });

  it("runs another script without the package manager in between", () => {
    const scripts = { start: "nodemon index.js", "start:prod": "node index.js" };
    const files = {
      ...pkg({ on: ["express"], scripts }),
      ...LOCK,
      "index.js": "",
      ...procfile("web: npm run start:prod"),
    };
    expect(commandOf(files)).toBe('["node","index.js"]');
  });

  it("makes an app of a package.json without a start script, and of one whose script is for development", () => {
    for (const scripts of [undefined, { start: "webpack serve", build: "webpack" }]) {
      const files = {
        ...pkg({ on: ["koa"], ...(scripts && { scripts }) }),
        ...LOCK,
        "web.js": "",
        ...procfile("web: node web.js"),
      };
      expect(plan(files)).toMatchObject({ framework: "node", reason: expect.stringContaining("Procfile") });
      expect(commandOf(files)).toBe('["node","web.js"]');
    }
  });

  it("serves a built site with the user's own program", () => {
    expect(commandOf({ ...VITE, ...procfile("web: node server.js") })).toBe('["node","server.js"]');
  });

  it("leaves a Dockerfile and a static site as they are, and says so", () => {
    const web = procfile("web: run");
    const dockerfile = plan({ Dockerfile: "FROM x", ...web });
    expect(dockerfile.notes).toContainEqual(expect.stringContaining("Procfile's `web` line is not used"));
    const site = { "index.html": "", ...web };
    expect(plan(site).notes).toContainEqual(expect.stringContaining("Procfile's `web` line is not used"));
    expect(commandOf(site)).toContain("caddy");
  });

  it.each([
    ["has 5000 characters; at most 4096", "x".repeat(5000)],
    ["holds a control character", "node \u0007"],
  ])("is refused where it %s", (message, line) => {
    expect(() => plan({ ...EXPRESS, ...procfile(`web: ${line}`) })).toThrow(SvcError);
    expect(() => plan({ ...EXPRESS, ...procfile(`web: ${line}`) })).toThrow(message);
  });
});

it("names the other process types as not run, and reads nothing into other lines", () => {
  const lines = [
    "# worker: no",
    "web: node index.js",
    "worker: node worker.js",
    "release:   npm run migrate",
    "clock:",
    "no type",
  ];
  const { notes } = plan({ ...EXPRESS, ...procfile(...lines) });
  expect(notes).toContain("Only `web` of the Procfile is run. Not run: worker, release.");
});

it("a compiled program is found under the name that a start command calls it by", () => {
  const go = { "go.mod": "module example.com/shop", "main.go": "package main\nfunc main() {}" };
  const named = (line: string) => lastStage(text({ ...go, ...procfile(`web: ${line}`) }));
  expect(named("bin/shop")).toContain("ln -s /usr/local/bin/app /app/bin/shop");
  expect(named("shop -p $PORT")).toContain("ln -s /usr/local/bin/app /usr/local/bin/shop");
  expect(named("app")).not.toContain("ln -s");
  expect(named("../shop")).not.toContain("ln -s");
  const rust = { "Cargo.toml": '[package]\nname = "shop"\n', "src/main.rs": "fn main() {}", "Cargo.lock": "" };
  const line = "ROCKET_PORT=$PORT ./target/release/shop";
  expect(lastStage(text({ ...rust, ...procfile(`web: ${line}`) }))).toContain("/app/target/release/shop");
});
