import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SvcError } from "../errors.ts";
import { isPublicKey } from "../rules/env-key.ts";
import { exposedPorts } from "./dockerfile/dockerfile.ts";
import type { FileTree } from "./repository/file-tree.ts";
import type { BuildPlan } from "./framework.ts";
import { allowsMajor } from "./node/project/node-version.ts";
import { planBuild } from "./plan-build.ts";

const APP_ID = "0190f0a0-0000-7000-8000-000000000001";

function tree(files: Record<string, string>): FileTree {
  const list = (folder = ""): string[] => {
    const prefix = folder === "" ? "" : `${folder.replace(/\/$/, "")}/`;
    const inside = Object.keys(files).filter((path) => path.startsWith(prefix));
    return [...new Set(inside.map((path) => path.slice(prefix.length).replace(/\/.*/s, "/")))];
  };
  return { list, read: (path) => files[path] };
}

interface Wish {
  framework?: string;
  port?: number;
  buildEnvKeys?: string[];
}

function plan(files: Record<string, string>, { framework, port, buildEnvKeys = [] }: Wish = {}): BuildPlan {
  return planBuild(tree(files), framework, {
    appId: APP_ID,
    port,
    buildEnvKeys,
    build: undefined,
    start: undefined,
  });
}

function text(result: BuildPlan): string {
  return "text" in result.dockerfile ? result.dockerfile.text : "";
}

function failure(act: () => unknown): SvcError {
  try {
    act();
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
  throw new Error("did not fail");
}

function pkg(value: object): Record<string, string> {
  return { "package.json": JSON.stringify(value) };
}

const EXPRESS = pkg({ scripts: { start: "node index.js" }, dependencies: { express: "5" } });
const LOCKED = { ...EXPRESS, "package-lock.json": "{}", "index.js": "" };

describe("detection", () => {
  it.each([
    ["dockerfile", { Dockerfile: "FROM x", ...LOCKED }],
    ["express", LOCKED],
    ["node", pkg({ scripts: { start: "node a.js" } })],
    ["node", { ...pkg({ main: "app.js" }), "app.js": "" }],
    ["node", { ...pkg({}), "server.js": "" }],
    ["static", { "index.html": "", "css/a.css": "" }],
    ["static", { "index.html": "", ...pkg({ main: "gone.js", devDependencies: { prettier: "3" } }) }],
  ])("says %s and why", (framework, files) => {
    const result = plan(files);
    expect(result.framework).toBe(framework);
    expect(result.reason).not.toBe("");
  });

  it("lets the framework that is named win over a Dockerfile", () => {
    expect(plan({ Dockerfile: "FROM x", ...LOCKED }, { framework: "express" }).framework).toBe("express");
  });

  it("says what was seen, and what to do", () => {
    const error = failure(() => plan({ "README.md": "" }));
    expect(error.code).toBe("framework_unknown");
    expect(error.message).toMatch(/README\.md\. Add a Dockerfile.*`framework`/);
  });

  it.each([
    [{ framework: "cobol" }, { "index.html": "" }, /Choose one of: nextjs, .*express, .*static.*dockerfile/],
    [{ framework: "dockerfile" }, { "index.html": "" }, /no file named Dockerfile/],
    [{ framework: "node" }, { "index.html": "" }, /no package\.json/],
    [{ framework: "node" }, pkg({}), /`start` script/],
    [{}, { "package.json": "{" }, /not valid JSON/],
    [{}, pkg({ scripts: { start: 1 } }), /`scripts\.start`/],
  ])("refuses %j plainly", (wish, files, sentence) => {
    const error = failure(() => plan(files as Record<string, string>, wish));
    expect(error.code).toBe("framework_unknown");
    expect(error.message).toMatch(sentence);
  });
});

describe("the port", () => {
  it("is the given one, else the exposed one, else the default", () => {
    const files = { Dockerfile: "FROM a\nEXPOSE 8080" };
    expect(plan(files, { port: 5000 }).port).toBe(5000);
    expect(plan(files).port).toBe(8080);
    expect(plan({ Dockerfile: "FROM a" }).port).toBe(3000);
    expect(plan(LOCKED, { port: 5000 }).port).toBe(5000);
    expect(text(plan(LOCKED, { port: 5000 }))).toMatch(/PORT=5000[^]*EXPOSE 5000/);
    expect(plan({ "index.html": "" }).port).toBe(3000);
  });

  it.each([
    ["FROM a\nEXPOSE 80/tcp 443", [80, 443]],
    ["FROM a\nEXPOSE 53/udp 80", [80]],
    ["FROM a AS build\nEXPOSE 1\nFROM b\nexpose 2\n", [2]],
    ["ARG PORT=4000\nFROM a\nEXPOSE $PORT", [4000]],
    ['FROM a\nENV A=1 PORT="4001"\nEXPOSE ${PORT}', [4001]],
    ["FROM a\nENV PORT 4002\nEXPOSE ${PORT:-1}", [4002]],
    ["FROM a\nEXPOSE ${PORT:-4003}", [4003]],
    ["FROM a\nEXPOSE \\\n  # why\n  4004", [4004]],
    ["FROM a\n# EXPOSE 1\nRUN echo EXPOSE 2\nEXPOSE 0 70000 x $y", []],
    ["FROM a\nEXPOSE 1 \\\n 2", [1, 2]],
  ])("is read from %j", (dockerfile, ports) => expect(exposedPorts(dockerfile)).toEqual(ports));

  it("is read from any text without an error", () => {
    const word = fc.constantFrom(
      "EXPOSE ",
      "FROM ",
      "ENV ",
      "ARG ",
      "$",
      "{",
      "}",
      ":-",
      "80",
      "/tcp",
      "\\\n",
      "\n",
      "=",
      '"',
      "a",
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), (words) => {
        for (const port of exposedPorts(words.join(""))) expect(port).toBeGreaterThan(0);
      }),
    );
  });
});

describe("a generated Dockerfile", () => {
  const all: [string, Record<string, string>][] = [
    ["express", LOCKED],
    ["without a lock file", EXPRESS],
    ["with a build", { ...pkg({ scripts: { build: "tsc", start: "node dist" } }), "package-lock.json": "{}" }],
    ["with install scripts", pkg({ scripts: { prepare: "x", start: "a && b" } })],
    ["static", { "index.html": "" }],
  ];

  it.each(all)("(%s) ends as a user without rights, in exec form, and listens where PORT says", (_name, files) => {
    const last = text(plan(files))
      .split(/^FROM /m)
      .at(-1)!;
    expect(last).toMatch(/^USER (?:node|1000:1000)$/m);
    expect(last).toMatch(/^CMD \["[^\n]*"\]$/m);
    expect(last).toMatch(/^ENV .*\bPORT=3000\b/m);
    expect(last.indexOf("USER")).toBeLessThan(last.indexOf("CMD"));
  });

  it.each(all)("(%s) is the same for the same input", (_name, files) => {
    expect(text(plan(files))).toBe(text(plan(files)));
  });

  it("has cache mounts of its own app alone", () => {
    for (const [, files] of all) {
      const mounts = text(plan(files)).match(/--mount=type=cache\S*/g) ?? [];
      for (const mount of mounts) expect(mount).toContain(`id=${APP_ID}-npm`);
    }
  });

  it("installs dependencies before it sees the sources", () => {
    const dockerfile = text(plan(LOCKED));
    expect(dockerfile).toMatch(/COPY package\.json package-lock\.json \.\/\nRUN .*npm ci .*--omit=dev/);
    expect(dockerfile.indexOf("npm ci")).toBeLessThan(dockerfile.indexOf("COPY . ."));
    expect(text(plan(all[2]![1])).indexOf("npm ci")).toBeLessThan(text(plan(all[2]![1])).indexOf("COPY . ."));
  });

  it("gives install scripts the sources and leaves development dependencies behind", () => {
    const dockerfile = text(plan(all[3]![1]));
    expect(dockerfile.indexOf("COPY . .")).toBeLessThan(dockerfile.indexOf("npm install"));
    expect(dockerfile).toContain("npm prune --omit=dev");
  });

  it("starts the app itself, with no package manager between", () => {
    const command = (start: string, more = {}): string =>
      /CMD (.*)/.exec(text(plan(pkg({ scripts: { start, ...more } }))))![1]!;
    expect(command("node --max-old-space-size=100 index.js")).toBe('["node","--max-old-space-size=100","index.js"]');
    expect(command("node index.js", { prestart: "x" })).toBe('["/bin/sh","-c","x && exec node index.js"]');
    expect(command("NODE_ENV=x node index.js")).toBe('["env","NODE_ENV=x","node","index.js"]');
    expect(command("node $FILE")).toBe('["/bin/sh","-c","exec node $FILE"]');
  });

  it("shows public variables to the build alone", () => {
    const stages = text(plan(all[2]![1], { buildEnvKeys: ["VITE_B", "VITE_A"] })).split(/^FROM /m);
    const building = stages.filter((stage) => stage.includes("VITE_"));
    expect(building).toHaveLength(1);
    expect(building[0]).toMatch(/ARG VITE_A\nENV VITE_A=\$VITE_A\nARG VITE_B\nENV VITE_B=\$VITE_B\nRUN npm run build/);
    expect(building[0]).toMatch(/^dependencies AS build/);
  });
});

describe("variables for the build", () => {
  it("need a public prefix, whatever the framework", () => {
    const error = failure(() => plan({ Dockerfile: "FROM a" }, { buildEnvKeys: ["VITE_A", "SECRET"] }));
    expect(error.code).toBe("invalid_request");
    expect(error.message).toContain("SECRET");
    expect(isPublicKey("NEXT_PUBLIC_A")).toBe(true);
    expect(isPublicKey("VITE_A B")).toBe(false);
    expect(isPublicKey("MY_VITE_A")).toBe(false);
  });
});

describe("the Node version", () => {
  it.each(["22", "v22.1.0", ">=18", ">=18 <23", "^20 || ^22", "20 - 24", "22.x", "*", "lts/*", ">21", "<=22", "~22.1"])(
    "%s allows 22",
    (range) => expect(allowsMajor(range, 22)).toBe(true),
  );
  it.each(["20", "v18.1.0", ">=24", "^20", ">=18 <22", "16 - 20", "<22.0.0", ">22", "^18 || ^20"])(
    "%s does not",
    (range) => expect(allowsMajor(range, 22)).toBe(false),
  );

  it("is noted when it differs", () => {
    expect(plan({ ...LOCKED, ".nvmrc": "v18\n" }).notes.join()).toMatch(/asks for Node v18; .* Node 22/);
    expect(plan({ ...LOCKED, ".nvmrc": "22" }).notes).toEqual(["Node 22 (`.nvmrc`), npm."]);
  });
});
