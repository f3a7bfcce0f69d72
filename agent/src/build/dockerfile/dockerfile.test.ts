import { describe, expect, it } from "vitest";
import { shownNames } from "./shown-names.ts";
import { readDockerfile, type BuildFacts } from "./stages.ts";
import { FACTS, writeSample } from "./write-sample.ts";

const HEAD = ["FROM scratch AS svc-owner", "WORKDIR /salt"];
const SALT = "COPY --from=svc-owner /salt /";

/** Returns the lines that BuildKit is given after those in front of every build. */
function body(text: string, facts: Partial<BuildFacts> = {}): string[] {
  const lines = writeSample(`FROM scratch\n${text}`, facts).text.split("\n");
  expect(lines.slice(0, 4)).toEqual([...HEAD, "FROM scratch", SALT]);
  return lines.slice(4, -1);
}

describe("a Dockerfile as BuildKit is given it", () => {
  it.each<[what: string, text: string, lines: string[]]>([
    ["continued lines", "RUN a \\\n  b \\\n\n # c\n  c", ["RUN a   b   c"]],
    ["a backslash with white space behind it", "RUN a \\ \t\nADD b /", ["RUN a ADD b /"]],
    ["a carriage return at the end of a line", "RUN a \\\r\nb\r\n", ["RUN a b"]],
    ["a carriage return within one", "RUN a\rADD b /", ["RUN a\rADD b /"]],
    ["a comment that ends with a backslash", "# c \\\nRUN a", ["RUN a"]],
    ["lower case and space before a name", "\u00a0\trun\ta", ["RUN a"]],
    ["a line continued by the end of the file", "RUN a \\", ["RUN a"]],
    ["flags", 'COPY --chown=1:1   --chmod="6"44 a b', ["COPY --chown=1:1 --chmod=644 a b"]],
    ["arrays", 'CMD ["a", "b c"]', ['CMD ["a", "b c"]']],
    ["the old form of ENV", "ENV a b c", ["ENV a b c"]],
    ["quotes and escapes", 'LABEL a="b \\" c" d=e\\ f', ['LABEL a="b \\" c" d=e\\ f']],
    ["a file that is added", "ADD a.tar.gz b /c/", ['ADD ["a.tar.gz","b","/c/"]']],
    ["a variable of what is added", "ARG A=a\nADD $A /c", ["ARG A=a", 'ADD ["a","/c"]']],
    ["a trigger that adds", "ONBUILD ADD --chown=1 a b/", ['ONBUILD ADD --chown=1 ["a","b/"]']],
    ["odd white space in an array", 'ADD ["a\\u0085", "/"]', ['ADD ["a\\u0085","/"]']],
    ["odd white space in a command or a label", "RUN a\u00a0b\nLABEL a=b\u00a0c", ["RUN a\u00a0b", "LABEL a=b\u00a0c"]],
    ["a pattern", "COPY [a-z]* /c", ["COPY [a-z]* /c"]],
    ["a trigger", "ONBUILD COPY . /src", ["ONBUILD COPY . /src"]],
    ["a shell", 'SHELL ["/bin/bash", "-c"]\nRUN a', ['SHELL ["/bin/bash", "-c"]', "RUN a"]],
    ["a health check", "HEALTHCHECK --interval=5s CMD a", ["HEALTHCHECK --interval=5s CMD a"]],
  ])("keeps the meaning of %s", (_what, text, lines) => {
    expect(body(text)).toEqual(lines);
  });

  it("has a layer of the owner's in each stage that starts from an image or from nothing", () => {
    const text =
      "ARG V=22\n#c\nFROM node:$V AS Build\nRUN a\nFROM build\nFROM --platform=$BUILDPLATFORM debian\nCOPY --from=0 /a /b\nCOPY --from=BUILD /a /c\nCOPY --from=node:22 /a /d\nRUN --mount=type=bind,FROM=node,target=/n a";
    expect(writeSample(text).text.trimEnd().split("\n")).toEqual([
      "ARG V=22",
      ...HEAD,
      "FROM docker.io/library/node:22 AS build",
      SALT,
      "RUN a",
      "FROM docker.io/library/debian:latest",
      SALT,
      "COPY --from=build /a /b",
      "COPY --from=build /a /c",
      "COPY --from=docker.io/library/node:22 /a /d",
      "RUN --mount=type=bind,from=docker.io/library/node:latest,target=/n a",
    ]);
  });

  it("has no stage that the last one does not reach, and asks for nothing that is in one", () => {
    const text =
      "FROM evil.example/a AS a\nADD https://a.example/x /\nFROM debian AS b\nADD $UNKNOWN${A:?} /\nFROM node\nRUN c\nFROM a\nFROM debian\nCOPY --from=2 /c /d";
    expect(writeSample(text).text.trimEnd().split("\n")).toEqual([
      ...HEAD,
      "FROM docker.io/library/node:latest",
      SALT,
      "RUN c",
      "FROM docker.io/library/debian:latest",
      SALT,
      "COPY --from=1 /c /d",
    ]);
    const images = readDockerfile(text, FACTS).images.filter(({ isReached }) => isReached);
    expect(images.map(({ image }) => image.short)).toEqual(["node", "debian"]);
    expect(() => writeSample("FROM debian AS a\nRUN --unknown=1 a\nFROM debian")).toThrow(/--unknown is no flag/);
  });

  it("has every stage that the last one reaches, in whichever way", () => {
    const text =
      "FROM a AS a\nFROM a AS b\nFROM c AS c\nFROM d AS d\nFROM b\nCOPY --from=c / /\nRUN --mount=from=d,target=/d a";
    const froms = writeSample(text)
      .text.split("\n")
      .filter((line) => line.startsWith("FROM"));
    expect(froms).toHaveLength(6);
  });

  it("keeps the escape that it was written with", () => {
    const { text } = writeSample("# escape=`\nFROM scratch\nRUN a `\n b \\\nCOPY C:\\ /");
    expect(text.split("\n")).toEqual(["# escape=`", ...HEAD, "FROM scratch", SALT, "RUN a  b \\", "COPY C:\\ /", ""]);
  });

  it("has the lines of a heredoc where the builder knows them", () => {
    const text = "RUN <<-EOF cat\n\tFROM x\n\tEOF\nRUN a";
    expect(body(text, { hasHeredocs: true })).toEqual(["RUN <<-EOF cat", "\tFROM x", "EOF", "RUN a"]);
    expect(() => body(text)).toThrow(/Line 2 of the Dockerfile, RUN: this server's builder knows no heredocs/);
    expect(() => body("RUN <<EOF\na", { hasHeredocs: true })).toThrow(/has no end/);
    expect(() => body("RUN <<E'OF'\na\nEOF", { hasHeredocs: true })).toThrow(/unclear/);
    expect(body('RUN sh -c "cat <<EOF"', { hasHeredocs: true })).toEqual(['RUN sh -c "cat <<EOF"']);
  });

  it("gives a fetched file in place of what an ADD names, and files of the repository in their order", () => {
    const text = "ARG U=https://a.example\nADD --chown=1 --checksum=sha256:" + "0".repeat(64) + " a $U/b?c=d 'e' f/";
    expect(body(text)).toEqual([
      "ARG U=https://a.example",
      'ADD --chown=1 ["a","f/"]',
      'COPY --from=svc/fetched:1 --chown=1 ["/0/f","f/"]',
      'ADD --chown=1 ["e","f/"]',
    ]);
  });

  it.each<[text: string, sentence: RegExp]>([
    ["NONSENSE a", /Line 2 .*unknown instruction: NONSENSE/],
    ["RUN a\\\\\nRUN b", /ends with \\\\, which some builders/],
    ["RUN a \\\u00a0", /the white space \\u00a0/],
    ["RUN \u0085a", /the white space \\u0085/],
    ["COPY a\u3000b c", /the white space \\u3000/],
    ["COPY a", /has to name a source and a target/],
    ["COPY", /has to name a source and a target/],
    ['ADD ["a"]', /has to name a source and a target/],
    ["RUN --unknown=1 a", /--unknown is no flag/],
    ["COPY --from=$A a b", /holds a variable/],
    ["COPY --from=0 a b", /no earlier stage/],
    ["COPY --from=later a b\nFROM debian AS later", /no earlier stage/],
    ["COPY --from=svc-owner a b", /reserved/],
    ["ADD [a b] c", /not a JSON array/],
    ["ADD ${A:?} /", /cannot be told before the build/],
    ["ADD ${A%x} /", /cannot be told before the build/],
    ["ONBUILD ONBUILD RUN a", /not one instruction/],
    ["FROM debian AS svc-owner", /reserved/],
    ["FROM debian AS a\nFROM debian AS A", /named "a" already/],
    ["FROM ${A}", /cannot be told which image/],
    ["FROM --platform=linux/arm64 debian", /builds for linux\/amd64/],
    ["FROM UPPER/case", /neither a stage nor the name of an image/],
    ["RUN a\0b", /NUL/],
    [`RUN ${"a".repeat(1024 * 1024)}`, /1 MiB/],
  ])("is refused with line and reason: %j", (text, sentence) => {
    expect(() => writeSample(`FROM scratch\n${text}`)).toThrow(sentence);
  });

  it.each([
    "docker/dockerfile",
    "docker/dockerfile:1",
    "docker.io/docker/dockerfile:1.7-labs",
    `docker/dockerfile:1.4@sha256:${"0".repeat(64)}`,
  ])("passes over # syntax=%s", (name) => {
    expect(writeSample(`# syntax=${name}\nFROM scratch\n`).text).not.toContain("syntax");
  });

  it.each(["docker/dockerfile:2", "docker/dockerfile:10", "x/docker/dockerfile:1", "docker/dockerfile-upstream:1"])(
    "is refused with # syntax=%s",
    (name) => {
      expect(() => writeSample(`# syntax=${name}\nFROM scratch\n`)).toThrow(/is not permitted/);
    },
  );

  it("may start from nothing but the text: no FROM, or something before it, is told", () => {
    expect(() => writeSample("# a\n")).toThrow(/it has no FROM/);
    expect(() => writeSample("RUN a\nFROM scratch\n")).toThrow(/Line 1 .*before the first FROM/);
  });
});

describe("what the owner reads of their build", () => {
  const text = writeSample(
    "FROM x\nFROM debian AS base\nADD https://a.example/b $HOME/\nFROM base\nRUN a\nFROM node\nCOPY --from=2 /b /b\n",
  );
  const shown = shownNames({ written: text, hidden: ["salt", "svc/fetched"], stages: 4 });

  it.each<[name: string, step: string | undefined]>([
    [
      "[internal] load metadata for docker.io/library/node:latest",
      "[internal] load metadata for docker.io/library/node:latest",
    ],
    ["[svc-owner 1/1] WORKDIR /salt", undefined],
    ["[base 1/3] FROM docker.io/library/debian:latest", "[base 1/2] FROM docker.io/library/debian:latest"],
    ["[base 2/3] COPY --from=svc-owner /salt /", undefined],
    ["[base 3/3] COPY --from=svc/fetched:1 [/0/f,/root/]", "[base 2/2] ADD https://a.example/b $HOME/"],
    ["[stage-2 1/1] RUN a", "[stage-2 1/1] RUN a"],
    ["[stage-3 3/3] RUN b", "[stage-3 2/2] RUN b"],
    ["FROM docker.io/svc/fetched:1", undefined],
  ])("of %j is %j", (name, step) => {
    expect(shown.step(name)).toBe(step);
  });

  it("has the lines of their file, and no name of the platform's", () => {
    expect(shown.message("dockerfile parse error line 10: naming to svc/fetched:1")).toBe(
      "dockerfile parse error line 7: naming to …:1",
    );
  });
});
