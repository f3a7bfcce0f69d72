/** A stretch of a line: words, with weight or without, code, or words that lead to one of our own pages. */
export type Span = { kind: "words" | "strong" | "code"; text: string } | { kind: "link"; text: string; path: string };

/** A part of an answer as it is shown. */
export type Block =
  | { kind: "paragraph"; spans: Span[] }
  | {
      kind: "list";
      /** The number of the first item; undefined where items have none. */ first: number | undefined;
      items: Span[][];
    }
  | { kind: "code"; text: string };

const FENCE = /^\s*```/;
const ITEM = /^\s*(?:[-*•]|(\d{1,3})[.)])\s+(.*)$/;

/**
 * Makes an answer's text into paragraphs, lists and blocks of code. All else that stands in it, as markup, pictures or
 * addresses of others, stays the text that it is: a model repeats what logs and repositories tell it.
 */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const last = blocks.at(-1);
    if (FENCE.test(line)) {
      const length = lines.slice(at + 1).findIndex((each) => FENCE.test(each));
      // An answer that still comes has no end of its code yet.
      const end = length < 0 ? lines.length : at + 1 + length;
      blocks.push({ kind: "code", text: lines.slice(at + 1, end).join("\n") });
      at = end;
    } else if (line.trim() === "") blocks.push({ kind: "paragraph", spans: [] });
    else addLine(blocks, last, line);
  }
  return blocks.filter((block) => block.kind !== "paragraph" || block.spans.length > 0);
}

function addLine(blocks: Block[], last: Block | undefined, line: string): void {
  const [, number, item] = ITEM.exec(line) ?? [];
  if (item !== undefined) {
    const first = number === undefined ? undefined : Number(number);
    const goesOn = last?.kind === "list" && (last.first === undefined) === (first === undefined);
    if (goesOn) last.items.push(spansOf(item));
    else blocks.push({ kind: "list", first, items: [spansOf(item)] });
  } else if (last?.kind === "list" && /^\s{2,}/.test(line)) {
    last.items.at(-1)!.push({ kind: "words", text: "\n" }, ...spansOf(line.trim()));
  } else if (last?.kind === "paragraph" && last.spans.length > 0) {
    last.spans.push({ kind: "words", text: "\n" }, ...spansOf(line));
  } else blocks.push({ kind: "paragraph", spans: spansOf(line) });
}

/** Addresses of an app's pages, as `text/places.ts` makes them, and of nothing else. */
const OWN_PATH =
  "/apps/[a-z0-9][a-z0-9-]*(?:/(?:deploys(?:/[0-9a-f-]{36})?|env|domains|logs|metrics|webhooks|settings))?";
const SPAN = new RegExp(
  [
    "`(?<code>[^`]+)`",
    // Code and addresses in it would be neither any more.
    "\\*\\*(?<strong>[^\\s*`/](?:[^*`/]*[^\\s*`/])?)\\*\\*",
    `\\[(?<label>[^\\[\\]]+)\\]\\((?<target>${OWN_PATH})\\)`,
    `(?<![\\w/.:@?=&#%\\\\-])(?<path>${OWN_PATH})(?![\\w/?=&#%@:\\\\-]|\\.[\\w/])`,
  ].join("|"),
  "g",
);

function spansOf(line: string): Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const found of line.matchAll(SPAN)) {
    if (found.index > end) spans.push({ kind: "words", text: line.slice(end, found.index) });
    spans.push(spanOf(found.groups ?? {}));
    end = found.index + found[0].length;
  }
  if (end < line.length) spans.push({ kind: "words", text: line.slice(end) });
  return spans;
}

function spanOf({ code, strong, label, target, path = "" }: Readonly<Record<string, string | undefined>>): Span {
  if (code !== undefined) return { kind: "code", text: code };
  if (strong !== undefined) return { kind: "strong", text: strong };
  if (label !== undefined && target !== undefined) return { kind: "link", text: label, path: target };
  return { kind: "link", text: path, path };
}
