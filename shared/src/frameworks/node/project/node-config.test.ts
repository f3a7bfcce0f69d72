import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Setting } from "../../repository/found-setting.ts";
import { readNodeConfig } from "./node-config.ts";

const EXPORT: Setting = { kind: "literal", value: "export" };
const ABSENT: Setting = { kind: "absent" };
const OTHER: Setting = { kind: "other" };
const UNKNOWN: Setting = { kind: "unknown" };

const output = (text: string): Setting => readNodeConfig(text).setting(["output"]);
const outDir = (text: string): Setting => readNodeConfig(text).setting(["build", "outDir"]);

describe("a setting of a configuration", () => {
  it.each([
    ["in an exported object", 'export default { output: "export" }'],
    ["with a quoted name", `export default { "output": 'export' }`],
    ["as a template without a variable", "export default { output: `export` }"],
    ["in module.exports", 'module.exports = { output: "export" };'],
    ["in exports.default", 'exports.default = { output: "export" };'],
    ["in TypeScript's export =", 'const config = { output: "export" }; export = config;'],
    ["in a variable", 'const config = { output: "export" };\nexport default config;'],
    ["in a variable that is exported by name", 'const config = { output: "export" };\nexport { config as default };'],
    ["in a variable of a type", 'const config: NextConfig = { output: "export" };\nexport default config;'],
    ["before satisfies", 'export default { output: "export" } satisfies NextConfig'],
    ["before as", 'module.exports = { output: "export" as const } as NextConfig'],
    ["after a cast", 'export default <NextConfig>{ output: "export" }'],
    [
      "below a hash-bang, in a file with a byte-order mark",
      '\ufeff#!/bin/env node\nexport default { output: "export" }',
    ],
    ["in a value of its own", 'const output = "export"; export default { output };'],
    ["in a spread object", 'const base = { output: "export" }; export default { ...base, images: {} };'],
    ["in a spread object in brackets", 'export default { ...({ output: "export" }) };'],
    ["in a function that defines it", 'export default defineConfig({ output: "export" });'],
    ["in a function's function", 'export default defineConfig(({ mode }: Env): Config => ({ output: "export" }));'],
    ["in a function's async function", 'export default defineConfig(async () => { return { output: "export" } });'],
    ["in an exported function", 'export default async function config(phase) { return { output: "export" } }'],
    [
      "in a CommonJS function",
      'module.exports = (phase, { defaultConfig }) => { const a = { output: "export" }; return a; };',
    ],
    [
      "in every return",
      'export default (p) => { if (p) { return { output: "export" } } return { output: "export", a: 1 } };',
    ],
    ["given to a plugin", 'const config = { output: "export" }; export default withMDX(config);'],
    ["given to a plugin that is made", 'module.exports = withAnalyzer({ enabled: true })({ output: "export" });'],
    ["given to a required plugin", 'module.exports = require("@next/mdx")({ extension: /x/ })({ output: "export" });'],
    [
      "given to a plugin with options",
      'const c = { output: "export" }; export default withSentryConfig(c, { org: "a" });',
    ],
    ["given to one plugin after the other", 'const c = { output: "export" }; export default withA(withB(c));'],
    [
      "given to each plugin of a list",
      'const c = { output: "export" }; export default plugins.reduce((a, f) => f(a), c);',
    ],
    ["given to a plugin by itself", 'let c = { output: "export" }; if (a) c = withAnalyzer(c); export default c;'],
    ["made by a function of the file", 'function make() { return { output: "export" } }\nexport default make();'],
    ["merged last", 'export default mergeConfig(base, defineConfig({ output: "export" }));'],
    ["assigned later", 'const c = {}; c.output = "export"; module.exports = c;'],
    ["as a member of a local object", 'const to = { kind: "export" }; export default { output: to.kind };'],
    ["the same on both ways", 'export default { output: a ? "export" : "export" };'],
    [
      "beside import attributes",
      'import pkg from "./package.json" with { type: "json" };\nexport default { output: "export" };',
    ],
  ])("is found %s", (_place, text) => {
    expect(output(text)).toEqual(EXPORT);
  });

  it.each([
    ["in a line comment", 'const config = {\n  // output: "export",\n};\nexport default config;'],
    ["in a block comment", 'export default { /* output: "export" */ };'],
    ["in another object", 'export default { images: { output: "export" }, experimental: { output: "export" } };'],
    ["in a variable that is not exported", 'const other = { output: "export" }; export default {};'],
    ["in a string", `export default { a: 'output: "export"' };`],
    ["in a function's own object", 'export default { webpack(config) { return { output: "export" } } };'],
    ["in an option of a plugin", 'export default withPlugin({ output: "export" })({});'],
    ["overridden by undefined", 'export default { output: "export", output: undefined };'],
    ["in an export with another name", 'export const config = { output: "export" }; export default {};'],
    ["in an empty file", ""],
  ])("is absent when it is only %s", (_place, text) => {
    expect(output(text)).toEqual(ABSENT);
  });

  it.each([
    ["a condition", 'export default { output: process.env.STATIC ? "export" : undefined };'],
    ["a spread on a condition", 'export default { ...(process.env.STATIC && { output: "export" }) };'],
    ["the environment", "export default { output: process.env.OUTPUT };"],
    ["the environment, or a default", 'export default { output: process.env.OUTPUT ?? "export" };'],
    ["a template", "export default { output: `${kind}` };"],
    ["a function", "export default { output: kind() };"],
    ["a getter", 'export default { get output() { return "export" } };'],
    ["a method", 'export default { output() { return "export" } };'],
    ["a parameter", "export default ({ output }) => ({ output });"],
    ["another file", 'import { base } from "./base.js"; export default { ...base };'],
    ["another file as a whole", 'export { default } from "./base.js"; export default require("./base");'],
    ["one of two returns", 'export default (phase) => { if (phase) return { output: "export" }; return {}; };'],
    ["an assignment on a condition", 'const c = {}; if (process.env.A) c.output = "export"; export default c;'],
    ["one of two objects", 'let c = {}; if (process.env.A) c = { output: "export" }; export default c;'],
    ["a shadowed name", 'const a = "export"; export default ((a) => ({ output: a }));'],
    ["a string with an escape", String.raw`export default { output: "exp\u006frt" };`],
    ["a number", "export default { output: 1 };"],
    ["itself", "const a = { ...a }; export default a;"],
  ])("is something else when it depends on %s", (_reason, text) => {
    expect(output(text)).toEqual(OTHER);
  });

  it("is found by its path alone", () => {
    const nested =
      'export default defineConfig({ build: { outDir: "site" }, test: { coverage: { outDir: "cover" } } });';
    expect(outDir(nested)).toEqual({ kind: "literal", value: "site" });
    expect(outDir(nested.replace('build: { outDir: "site" }, ', ""))).toEqual(ABSENT);
    expect(outDir('export default { outDir: "top" }')).toEqual(ABSENT);
    expect(outDir('const build = { outDir: "site" }; export default { build }')).toEqual({
      kind: "literal",
      value: "site",
    });
    expect(outDir('const base = { build: {} }; export default { build: { outDir: "x" }, ...base }')).toEqual(ABSENT);
  });

  it("is a boolean as well", () => {
    expect(readNodeConfig("export default { ssr: false } satisfies Config").setting(["ssr"])).toEqual({
      kind: "literal",
      value: false,
    });
  });

  it("is absent without a file, and unknown in a file that can't be parsed", () => {
    expect(readNodeConfig(undefined).setting(["output"])).toEqual(ABSENT);
    expect(output('export default { output: "export"')).toEqual(UNKNOWN);
    expect(output(`export default { output: "export" } // ${"x".repeat(256 * 1024)}`)).toEqual(UNKNOWN);
  });
});

describe("a function that a configuration calls", () => {
  it.each([
    [
      "imported by default",
      'import node from "@astrojs/node"; export default { adapter: node({ mode: "standalone" }) };',
    ],
    ["imported by name", 'import { a as node } from "@astrojs/node"; export default { adapter: node() };'],
    ["imported as a whole", 'import * as node from "@astrojs/node"; export default { adapter: node.default() };'],
    ["required", 'const { node } = require("@astrojs/node"); module.exports = { adapter: node() };'],
    ["called before", 'import node from "@astrojs/node"; const adapter = node(); export default { adapter };'],
  ])("is known by its package when it is %s", (_way, text) => {
    expect(readNodeConfig(text).packageCalledAt(["adapter"])).toBe("@astrojs/node");
  });

  it("is not known by a comment, or by an import that is not used", () => {
    const text =
      '// import node from "@astrojs/node"\nimport other from "@astrojs/node"; export default { adapter: node() };';
    expect(readNodeConfig(text).packageCalledAt(["adapter"])).toBeUndefined();
  });

  it("has its options among the plugins", () => {
    const config = (plugins: string): Setting =>
      readNodeConfig(
        `import { vitePlugin as remix } from "@remix-run/dev"; import react from "@vitejs/plugin-react";
         export default defineConfig({ plugins: [${plugins}], ssr: false });`,
      ).pluginOption("@remix-run/dev", "ssr");
    expect(config("react(), remix({ ssr: false })")).toEqual({ kind: "literal", value: false });
    expect(config("!process.env.VITEST && remix({ ssr: false })")).toEqual({ kind: "literal", value: false });
    for (const plugins of ["remix()", "react({ ssr: false })", "remix({ /* ssr: false */ })"]) {
      expect(config(plugins)).toEqual(ABSENT);
    }
    expect(config("remix(options)")).toEqual(OTHER);
  });
});

describe("whatever a configuration file holds", () => {
  const PIECES = [
    ..."{}[]()<>:;,.=?!&|`\"'/*-+#@\\ \n",
    ...'export default |module.exports = |const a = |output|: "export"|...a|=> |return |function a() {|async '.split(
      "|",
    ),
    ...'a|b|${|// |/* |*/|satisfies X|as |import b from "b"|if (a) |a.output = |defineConfig(|class |<T,>|?.|\u2028'.split(
      "|",
    ),
  ];
  const text = fc.oneof(
    fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join("")),
    fc.string({ unit: "binary", maxLength: 200 }),
  );

  it("is answered without an error", () => {
    fc.assert(
      fc.property(text, text, (before, inside) => {
        for (const file of [before, `${before}\nexport default {${inside}}`, `const a = ${inside}; export default a`]) {
          const config = readNodeConfig(file);
          expect(["absent", "literal", "other", "unknown"]).toContain(config.setting(["output"]).kind);
          config.packageCalledAt(["adapter"]);
          config.pluginOption("b", "output");
        }
      }),
      { numRuns: 1000 },
    );
  });
});
