import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDockerIgnore } from "./docker-ignore.ts";

describe(".dockerignore", () => {
  it.each([
    ["node_modules", ["node_modules", "node_modules/a/b"], ["a/node_modules", "node_modules2"]],
    ["**/node_modules", ["node_modules/a", "a/node_modules", "a/b/node_modules/c"], ["xnode_modules", "a"]],
    ["*.md", ["README.md"], ["docs/README.md", "a.mdx"]],
    ["**/*.md", ["README.md", "docs/README.md"], ["docs/README"]],
    ["*\n!src\n!package.json", ["a", "b/c"], ["src", "src/a/b", "package.json"]],
    ["*.md\n!README*.md\nREADME-secret.md", ["a.md", "README-secret.md"], ["README.md", "README-x.md"]],
    ["docs/**", ["docs/a", "docs/a/b"], ["docs", "doc"]],
    ["a/**/z", ["a/z", "a/b/z", "a/b/c/z"], ["az", "a/bz"]],
    ["/dist/", ["dist", "dist/a"], ["a/dist"]],
    ["./a//b/../c", ["a/c"], ["a/b"]],
    ["temp?", ["temp1", "temp1/x"], ["temp", "temp12", "temp/"]],
    ["[a-c]x", ["ax", "cx/y"], ["dx", "x"]],
    ["[^a]x", ["bx"], ["ax", "/x"]],
    ["a\\*b", ["a*b"], ["axb"]],
    ["# a comment\n\n  spaced  \r\n", ["spaced"], ["# a comment"]],
    [".git\n.env*", [".git/config", ".env", ".env.local"], ["env"]],
    ["**", ["a", "a/b"], []],
    ["", [], ["a"]],
    [".", [], ["a"]],
  ])("%j", (text, ignored, kept) => {
    const { isIgnored } = parseDockerIgnore(text);
    expect(ignored.filter((path) => !isIgnored(path))).toEqual([]);
    expect(kept.filter((path) => isIgnored(path))).toEqual([]);
  });

  it("keeps what a later exception names, whatever came before", () => {
    const word = fc.string({
      unit: fc.constantFrom("a", "b", "*", "?", "/", "!", "[", "]", "\\", "-", "^", "."),
      maxLength: 8,
    });
    const path = fc.array(fc.constantFrom("a", "b", "ab"), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), path, (lines, parts) => {
        const name = parts.join("/");
        expect(parseDockerIgnore([...lines, `!${name}`].join("\n")).isIgnored(name)).toBe(false);
        expect(parseDockerIgnore([...lines, name].join("\n")).isIgnored(`${name}/x`)).toBe(true);
      }),
    );
  });

  it("takes no longer for a hostile pattern", () => {
    const { isIgnored } = parseDockerIgnore(`${"*a".repeat(200)}b\n${"**/".repeat(200)}b`);
    const startedAt = performance.now();
    expect(isIgnored("a".repeat(4000))).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });

  it("is refused with what is allowed when it is beyond what anyone writes", () => {
    for (const text of ["x\n".repeat(1001), "[".repeat(1001), " \n".repeat(40_000)]) {
      expect(() => parseDockerIgnore(text)).toThrow(/larger than the .* that it may have/);
    }
  });
});
