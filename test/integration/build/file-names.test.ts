import { afterAll, beforeAll, expect, it } from "vitest";
import { run, startBuilds, type Builds } from "../../support/engine/builds.ts";

let builds: Builds;

beforeAll(async () => {
  builds = await startBuilds();
});
afterAll(() => builds?.cleanUp());

const BYTE = "\udce9";

it("a repository whose names are no UTF-8 is cloned, planned and built with them as they are", async () => {
  const names =
    "RUN cd /app && find . -name 'd*' -o -name 'caf*' -o -name 'l?' | LC_ALL=C sort | od -An -c | tr -d ' \\n' && cat l*";
  const prepared = await builds.prepare({
    Dockerfile: `FROM debian:bookworm-slim\nCOPY . /app\n${names}\n`,
    [`d${BYTE}/caf${BYTE}.txt`]: "coffee",
    [`l${BYTE}`]: { symlink: `d${BYTE}/caf${BYTE}.txt` },
    [`left${BYTE}.log`]: "x",
    ".dockerignore": "*.log\n",
  });
  await run(prepared);
  expect(prepared.lines.join("\n")).toContain(String.raw`./d351\n./d351/caf351.txt\n./l351\ncoffee`);
});
