import { describe, expect, it } from "vitest";
import { angularBuild } from "./angular-output.ts";
import { LOCK, pkg, plan, text, type Files } from "../sample-repositories.ts";
import { treeOf } from "../repository/tree-of.ts";

function cra(more: object = {}): Files {
  const scripts = { start: "react-scripts start", build: "react-scripts build" };
  return { "package.json": JSON.stringify({ dependencies: { "react-scripts": "5.0.1" }, scripts, ...more }), ...LOCK };
}

const CRA: Files = { ...cra(), "public/index.html": "" };

function angular(options: object, builder = "@angular/build:application", more: object = {}): Files {
  const projects = {
    kit: { projectType: "library" },
    shop: { projectType: "application", architect: { build: { builder, options } } },
    ...more,
  };
  const scripts = { start: "ng serve", build: "ng build", "serve:ssr:shop": "node dist/shop/server/server.mjs" };
  return {
    ...pkg({ on: ["@angular/core", "express"], dev: ["@angular/cli"], scripts }),
    ...LOCK,
    "angular.json": JSON.stringify({ version: 1, projects }),
  };
}

describe("Create React App", () => {
  it("is a static site whose page answers every path", () => {
    expect(plan(CRA)).toMatchObject({
      framework: "static",
      reason: "`react-scripts` in dependencies, for Create React App",
    });
    const dockerfile = text(CRA);
    expect(dockerfile).toContain("RUN npm run build");
    expect(dockerfile).toContain("COPY --from=build /app/build /srv");
    expect(dockerfile).toContain("{path}/index.html /index.html");
    expect(dockerfile).toContain("path /static/*");
  });

  it("is built at the address's root, and with warnings", () => {
    expect(text(CRA)).toContain("ENV CI=false\n");
    expect(text(cra({ homepage: "https://a.example.com/shop" }))).toContain("ENV CI=false PUBLIC_URL=/\n");
  });

  it("of before version 5 is built by today's Node", () => {
    const old = { "package.json": '{"dependencies": {"react-scripts": "^4.0.3"}}', ...LOCK };
    expect(text(old)).toContain("NODE_OPTIONS=--openssl-legacy-provider");
    expect(text(CRA)).not.toContain("NODE_OPTIONS");
  });

  it("is built into the folder that its build script names", () => {
    const scripts = { build: "BUILD_PATH='./public_html' react-scripts build" };
    expect(text({ ...pkg({ on: ["react-scripts"], scripts }), ...LOCK })).toContain("/app/public_html /srv");
  });

  it("is one too when it is named static, or its Procfile or start script serves the files that are built", () => {
    expect(plan(CRA, {}, "static").dockerfile).toEqual(plan(CRA).dockerfile);
    for (const Procfile of ["web: npm start\n", "web: npx serve -s build\n"]) {
      expect(text({ ...CRA, Procfile })).toBe(text(CRA));
    }
    const served = pkg({ on: ["react-scripts", "serve"], scripts: { start: "serve -s build" } });
    expect(plan({ ...served, ...LOCK }).framework).toBe("static");
  });

  it("is the server's part where a server of its own is started", () => {
    const scripts = { start: "node server.js", build: "react-scripts build" };
    const files = { ...pkg({ on: ["react-scripts", "express"], scripts }), ...LOCK, "server.js": "" };
    expect(plan(files).framework).toBe("express");
    expect(plan({ ...CRA, Procfile: "web: node server.js\n" }).framework).toBe("node");
  });
});

describe("Angular", () => {
  it.each([
    ["the usual folder", {}, "@angular/build:application", "dist/shop/browser"],
    ["another", { outputPath: "out/a" }, "@angular-devkit/build-angular:application", "out/a/browser"],
    ["one with parts", { outputPath: { base: "out", browser: "" } }, "@angular/build:application", "out"],
    ["one with other parts", { outputPath: { base: "out", browser: "web" } }, "@angular/build:application", "out/web"],
    ["that of the older builders", { outputPath: "dist/a" }, "@angular-devkit/build-angular:browser", "dist/a"],
  ])("is a static site in %s", (_, options, builder, folder) => {
    const files = angular(options, builder);
    expect(plan(files)).toMatchObject({ framework: "static" });
    expect(text(files)).toContain(`COPY --from=build /app/${folder} /srv`);
    expect(text(files)).toContain("{path}/index.html /index.html");
  });

  it("with a server is started by its own script", () => {
    const files = angular({ ssr: { entry: "src/server.ts" }, outputMode: "server" });
    expect(plan(files).framework).toBe("express");
    expect(text(files)).toContain('CMD ["node","dist/shop/server/server.mjs"]');
    expect(plan(angular({ ssr: true, outputMode: "static" })).framework).toBe("static");
  });

  it("builds its default project, where there are several", () => {
    const both = { projects: { a: {}, b: {} }, defaultProject: "b" };
    expect(angularBuild(treeOf({ "angular.json": JSON.stringify(both) }))?.output).toBe("dist/b/browser");
  });

  it.each(["", "[]", "{", '{"projects": {}}', '{"projects": {"a": 1}}', '// no\n{"projects": {"a": {}}}'])(
    "is answered without an error when angular.json is %j",
    (content) => {
      expect(() => angularBuild(treeOf({ "angular.json": content }))).not.toThrow();
    },
  );
});

it.each([
  ["Vue CLI", "@vue/cli-service", { "vue.config.js": 'module.exports = { outputDir: "web" }' }, "/app/web /srv"],
  ["Docusaurus", "@docusaurus/core", {}, "/app/build /srv"],
  ["Eleventy", "@11ty/eleventy", {}, "for folder in _site dist build public; do"],
])("%s is a static site", (_, name, files, line) => {
  const all = { ...pkg({ dev: [name] }), ...LOCK, ...files };
  expect(plan(all).framework).toBe("static");
  expect(text(all)).toContain(line);
});
