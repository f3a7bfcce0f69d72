import { posix } from "node:path";
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
    ["😀?\n[😀-😂]x", ["😀a", "😁x"], ["😀", "😎x"]],
    ["# a comment\n\n  spaced  \r\n", ["spaced"], ["# a comment"]],
    [".git\n.env*", [".git/config", ".env", ".env.local"], ["env"]],
    ["**", ["a", "a/b"], []],
    ["", [], ["a"]],
    [".", [], ["a"]],
  ])("%j", async (text, ignored, kept) => {
    for (const path of ignored) expect([path, await isIgnored(text, path)]).toEqual([path, true]);
    for (const path of kept) expect([path, await isIgnored(text, path)]).toEqual([path, false]);
  });

  it("keeps what a later exception names, whatever came before", async () => {
    const word = fc.string({
      unit: fc.constantFrom("a", "b", "*", "?", "/", "!", "[", "]", "\\", "-", "^", "."),
      maxLength: 8,
    });
    const path = fc.array(fc.constantFrom("a", "b", "ab"), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 5 }), path, async (lines, parts) => {
        const name = parts.join("/");
        expect(await isIgnored([...lines, `!${name}`].join("\n"), name)).toBe(false);
        expect(await isIgnored([...lines, name].join("\n"), `${name}/x`)).toBe(true);
      }),
    );
  });

  it("matches what the regular expression of the same meaning does, for a path or one of its folders", async () => {
    const piece = fc.constantFrom("a", "b", "*", "**", "**/", "?", "/", "/*", "[ab]", "[^a]");
    const path = fc.array(fc.constantFrom("a", "b", "ab", "ba", "aab"), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 8 }), path, async (pieces, parts) => {
        const rule = pieces.join("");
        const name = parts.join("/");
        expect([rule, name, await isIgnored(rule, name)]).toEqual([rule, name, matchesAsExpression(rule, parts)]);
      }),
      { numRuns: 3000 },
    );
  });

  it("goes through a name once, whatever its rules and however deep it lies", async () => {
    const rules = hostileRules(60);
    const name = "a".repeat(20);
    // Each character of the path meets each token once: what looks at every folder above anew takes a hundred times as much.
    const stepsMax = rules.length * (name.length + 1) * 199 + rules.length;
    const path = Array(199).fill(name).join("/");
    expect(await isIgnored(rules, path, stepsMax)).toBe(false);
  });

  it("lets others have their turn while a name is held against many rules", async () => {
    let turns = 0;
    const giveWay = async (): Promise<void> => void (turns += 1);
    await parseDockerIgnore(hostileRules(64), giveWay).below("a".repeat(255));
    expect(turns).toBeGreaterThan(5);
  });

  it("ends with a sentence when a whole context takes too many steps", async () => {
    const root = parseDockerIgnore("**/a*b\n", atOnce, 1000);
    const all = Array.from({ length: 100 }, (_one, index) => root.below(`aaaaaaaaaa${index}`));
    await expect(Promise.all(all)).rejects.toThrow(/takes too long to be held against all files/);
  });

  it("names the folder that lies too deep", async () => {
    const path = `vendor/b/c${"/d".repeat(200)}`;
    await expect(isIgnored("x", path)).rejects.toThrow("more than 200 levels deep, below vendor/b/c.");
  });

  it.each([
    ["x\n".repeat(1001), "has 1001 rules; it may have 1000"],
    [" \n".repeat(40_000), "larger than the 64 KiB"],
    [`a\n${"[".repeat(1001)}`, "Line 2 of the .dockerignore has 1001 characters; a rule may have 1000"],
    [`a\n\n!${"**?".repeat(332)}Z`, "Line 3 of the .dockerignore has 664 wildcards; a rule may have 32"],
  ])("is refused with what is allowed when it is beyond what anyone writes", (text, sentence) => {
    expect(() => parseDockerIgnore(text, atOnce)).toThrow(sentence);
  });
});

const atOnce = (): Promise<void> => Promise.resolve();

/** As many ways through as a rule within the limits can have. */
function hostileRules(count: number): string {
  return Array(count)
    .fill(`**${"a".repeat(900)}${"**?".repeat(15)}Z`)
    .join("\n");
}

async function isIgnored(text: string, path: string, stepsMax?: number): Promise<boolean> {
  let selection = parseDockerIgnore(text, atOnce, stepsMax);
  for (const name of path.split("/")) selection = await selection.below(name);
  return selection.isLeftOut;
}

/** Looks at each folder of the path by itself. */
function matchesAsExpression(rule: string, parts: readonly string[]): boolean {
  const pattern = posix.normalize(rule).replace(/^\/+|\/$/g, "");
  if (pattern === "" || pattern === ".") return false;
  const source = pattern.replaceAll(/\*\*+\/|\*\*+|\*|\?|\[\^a\]/g, (piece) => {
    if (piece === "*") return "[^/]*";
    if (piece === "?") return "[^/]";
    if (piece === "[^a]") return "[^/a]";
    return piece.endsWith("/") ? "(?:.*/)?" : ".*";
  });
  const whole = new RegExp(`^${source}$`);
  return parts.some((_part, index) => whole.test(parts.slice(0, index + 1).join("/")));
}
