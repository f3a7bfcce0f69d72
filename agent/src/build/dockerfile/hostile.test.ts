import { SvcError } from "@svc/shared/errors.ts";
import { describe, expect, it } from "vitest";
import { planAdditions } from "./additions.ts";
import { canonicalText } from "./canonical-text.ts";
import { shownNames } from "./shown-names.ts";
import { readDockerfile } from "./stages.ts";

/** A reader that is not linear takes seconds for this length, and minutes for the longest text that is read. */
const LENGTH = 64 * 1024;

/** Texts that take long for patterns with two ways to read them. */
const REPEATED = [
  " ",
  "\t",
  "\r",
  "#",
  "=",
  "[",
  '"',
  "'",
  "$",
  "${",
  "${x:-",
  "\\",
  "\\ ",
  "<<",
  "<<A ",
  ",",
  ".",
  "-",
];
REPEATED.push("_", "a", "a.", "a-", "/a", ":a", "@", "--a ", "a=", "a ", "a\n", "\\\n", "\n", "\u00a0", "[/1/");

const BEGINNINGS = ["", "#a=x", "# ", "FROM a", "FROM a AS b", "FROM --platform=", "FROM scratch\nADD ", "ARG a="];
for (const rest of [
  "ADD --chown=",
  "COPY --from=",
  "ENV a ",
  "ENV a=",
  "RUN ",
  "RUN --mount=",
  "ONBUILD ADD ",
  "ADD a ",
])
  BEGINNINGS.push(`FROM scratch\n${rest}`);

/** Texts with many of what is looked for among the others. */
const MANY = ["FROM a\n", "FROM scratch\nENV a=$a$a\n", "ADD $a b\n", "COPY --from=0 a b\n", "ONBUILD RUN a\n"];

const FACTS = { hasHeredocs: false, platform: { os: "linux", architecture: "amd64" }, buildArgs: {} };

function read(text: string, hasHeredocs: boolean): void {
  const facts = { ...FACTS, hasHeredocs };
  try {
    const dockerfile = readDockerfile(text, facts);
    const additions = planAdditions(dockerfile, facts, () => []);
    const fetched = { image: "svc/fetched:1", pathOf: () => "/0/f" };
    void canonicalText(dockerfile, { additions, salt: "salt", fetched, resolveImage: ({ full }) => full }).text;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
  }
}

function millisecondsOf(work: () => void): number {
  // Processor time is measured: other tests may keep the machine busy.
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

describe("a hostile Dockerfile is read or refused within a second", () => {
  it.each(BEGINNINGS)("when it begins with %j", { timeout: 120_000 }, (beginning) => {
    const slow = REPEATED.flatMap((piece) => {
      const text = `${beginning}${piece.repeat(LENGTH / piece.length)}y`;
      const taken = Math.max(...[false, true].map((hasHeredocs) => millisecondsOf(() => read(text, hasHeredocs))));
      return taken > 1000 ? [`${JSON.stringify(piece)} ${Math.round(taken)} ms`] : [];
    });
    expect(slow).toEqual([]);
  });

  it.each(MANY)("when it has many of %j", (piece) => {
    const text = `FROM scratch\n${piece.repeat(LENGTH / piece.length)}`;
    expect(millisecondsOf(() => read(text, false))).toBeLessThan(1000);
  });

  it("when it has many variables", () => {
    let text = "FROM scratch\n";
    for (let count = 0; text.length < LENGTH - 100; count += 1) text += `ENV a${count}=1\n`;
    expect(millisecondsOf(() => read(text, false))).toBeLessThan(1000);
  });

  it.each(["ADD a b\n", "ONBUILD COPY a b\n"])("or refused by the number of %j", (piece) => {
    const read = (): unknown => readDockerfile(`FROM scratch\n${piece.repeat(2001)}`, FACTS);
    expect(read).toThrow("Line 2001 of the Dockerfile");
    expect(read).toThrow("it is one of more than 2000 instructions");
  });

  it.each(["", '"'])("and so is a word that its variables make larger than memory, quoted with %j", (quote) => {
    const text = `FROM scratch\nENV A=${"x".repeat(4000)}\nADD ${quote}${"$A".repeat(500_000)}${quote} /\n`;
    expect(() => planAdditions(readDockerfile(text, FACTS), FACTS, () => [])).toThrow(/in at most 4,096 characters/);
  });

  it("and so is what BuildKit calls its step", () => {
    const written = { shown: new Map(), salted: new Set<string>(), stageIndexes: [], lines: [], text: "" };
    const { step } = shownNames({ written, hidden: ["[/1/"], stages: 1 });
    expect(millisecondsOf(() => step(`[1/1] ${"[/1/".repeat(LENGTH / 4)}`))).toBeLessThan(1000);
  });
});
