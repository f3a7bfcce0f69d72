import fc from "fast-check";
import { expect, test } from "vitest";
import { blocksOf, type Block, type Span } from "./blocks.ts";

const words = (text: string): Span => ({ kind: "words", text });
const paragraph = (...spans: Span[]): Block => ({ kind: "paragraph", spans });

const spansIn = (block: Block): Span[] =>
  block.kind === "paragraph" ? block.spans : block.kind === "list" ? block.items.flat() : [];

test("an answer is paragraphs, lists and blocks of code", () => {
  expect(
    blocksOf("One line,\nand another.\n\n- first `code`\n- second\n\n```sh\nnpm run build\n\n- no item\n```\nEnd."),
  ).toEqual([
    paragraph(words("One line,"), words("\n"), words("and another.")),
    { kind: "list", first: undefined, items: [[words("first "), { kind: "code", text: "code" }], [words("second")]] },
    { kind: "code", text: "npm run build\n\n- no item" },
    paragraph(words("End.")),
  ]);
});

test("a numbered list goes on with its numbers after other text", () => {
  expect(blocksOf("1. a\n\ntext\n\n2. b\n3. c")).toEqual([
    { kind: "list", first: 1, items: [[words("a")]] },
    paragraph(words("text")),
    { kind: "list", first: 2, items: [[words("b")], [words("c")]] },
  ]);
});

test("code whose end has not come is code already", () => {
  expect(blocksOf("```\nnpm ci")).toEqual([{ kind: "code", text: "npm ci" }]);
});

test.for([
  ["See /apps/shop/logs.", "/apps/shop/logs", "/apps/shop/logs"],
  ["See [its log](/apps/shop/logs).", "its log", "/apps/shop/logs"],
  ["(/apps/shop)", "/apps/shop", "/apps/shop"],
  [
    "Deploy /apps/shop/deploys/019a2b3c-0000-7000-8000-000000000000 failed.",
    "/apps/shop/deploys/019a2b3c-0000-7000-8000-000000000000",
    "/apps/shop/deploys/019a2b3c-0000-7000-8000-000000000000",
  ],
] as const)("%s leads to the page of an app", ([text, label, path]) => {
  expect(blocksOf(text).flatMap(spansIn)).toContainEqual({ kind: "link", text: label, path });
});

test.for([
  "[here](https://evil.example/apps/shop)",
  "[here](//evil.example/apps/shop)",
  "[here](/apps/shop/../../auth/sign-out)",
  "[here](/apps/shop?next=https://evil.example)",
  "[here](/apps/shop#x)",
  String.raw`[here](/\evil.example/apps/shop)`,
  "[here](javascript:alert(1))",
  "[here](/auth/sign-out)",
  "[here](/settings/keys)",
  "https://evil.example/apps/shop",
  "//evil.example/apps/shop",
  "x@/apps/shop",
  "<a href=/apps/shop/evil>",
  "![picture](/apps/shop.png)",
  `<img src=x onerror="alert(1)">`,
])("%s stays text", (text) => {
  expect(blocksOf(text)).toEqual([paragraph(words(text))]);
});

test("two stars on each side give words weight, and nothing else", () => {
  expect(blocksOf("It is **not** up: **out of memory**.")).toEqual([
    paragraph(
      words("It is "),
      { kind: "strong", text: "not" },
      words(" up: "),
      { kind: "strong", text: "out of memory" },
      words("."),
    ),
  ]);
});

test.each(["2 ** 3 ** 4", "**", "****", "**not", "** not **", "a*b**c"])("%s has no weight", (text) => {
  expect(blocksOf(text)).toEqual([paragraph(words(text))]);
});

test("whatever an answer holds, its links lead to pages of apps, and no word of it is lost", () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "[a](",
      ")",
      "/apps/",
      "shop",
      "**",
      "`",
      "```",
      "\n",
      "- ",
      "1. ",
      "https://",
      "//",
      "..",
      "\\",
      "?",
      "javascript:",
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join("");
      const blocks = blocksOf(text);
      for (const span of blocks.flatMap(spansIn)) {
        if (span.kind !== "link") continue;
        const { origin, pathname, search, hash } = new URL(span.path, "https://svc.example");
        expect([origin, pathname, search, hash]).toEqual(["https://svc.example", span.path, "", ""]);
        expect(span.path).toMatch(/^\/apps\/[a-z0-9]/);
      }
      const shown = blocks
        .map((block) =>
          block.kind === "code"
            ? block.text
            : spansIn(block)
                .map(({ text: each }) => each)
                .join(""),
        )
        .join("");
      const letters = (all: string) => [...all.replaceAll(/[^\p{L}]/gu, "")].toSorted().join("");
      // The language of a block of code, and an address below other words, are not shown.
      if (!text.includes("```") && !text.includes("](")) expect(letters(shown)).toBe(letters(text));
    }),
  );
});
