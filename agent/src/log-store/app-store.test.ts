import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Redactor } from "@svc/shared/redaction/redact.ts";
import type { LogLine } from "../ports.ts";
import { AppStore, type FileChanges } from "./app-store.ts";
import { searchFiles } from "./search.ts";

const START = Date.parse("2026-01-31T12:00:00Z");
const ROUNDS = 4;
const ROUND_LINES = 30;
let directory: string;
beforeEach(async () => {
  directory = await fs.mkdtemp(join(tmpdir(), "svc-app-store-"));
});
afterEach(() => fs.rm(directory, { recursive: true }));

/** Changes on the disk up to one at which the process is killed: before it, after it, or in the middle of an append. */
function killedAt(change: number, moment: "before" | "within" | "after"): FileChanges & { isDead: () => boolean } {
  let count = 0;
  let isDead = false;
  const wrap = <Arguments extends unknown[], Result>(
    call: (...given: Arguments) => Promise<Result>,
    half: (...given: Arguments) => Arguments = (...given) => given,
  ) => {
    return async (...given: Arguments): Promise<Result> => {
      count += 1;
      if (isDead || count > change) throw new Error("killed");
      isDead = count === change;
      if (isDead && moment === "before") throw new Error("killed");
      const result = await call(...(isDead && moment === "within" ? half(...given) : given));
      if (isDead) throw new Error("killed");
      return result;
    };
  };
  type Write = (path: string, data: string | Buffer, options: { mode: number }) => Promise<void>;
  const half: (...given: Parameters<Write>) => Parameters<Write> = (path, data, options) => {
    const bytes = Buffer.from(data);
    return [path, bytes.subarray(0, bytes.length / 2), options];
  };
  return {
    mkdir: wrap(fs.mkdir) as FileChanges["mkdir"],
    rename: wrap(fs.rename),
    rm: wrap(fs.rm),
    truncate: wrap(fs.truncate),
    appendFile: wrap<Parameters<Write>, void>(fs.appendFile, half),
    writeFile: wrap<Parameters<Write>, void>(fs.writeFile, half),
    isDead: () => isDead,
  };
}

/** Lines that an engine has, of which each round stores those that come after what it stored last. */
const written = Array.from({ length: 2 * ROUNDS * ROUND_LINES }, (_, i): LogLine => {
  return { time: new Date(START + i * 100), text: `line ${i}`, output: "stdout" };
});

async function store(app: AppStore, rounds: readonly number[]): Promise<void> {
  for (const round of rounds) {
    const end = (round + 1) * ROUND_LINES;
    const { lines: from = 0 } = (await app.progressOf("container")) ?? {};
    await app.append(written.slice(from, end), { container: { cut: [], lines: end } });
    await app.closeWhenDue(new Date(START));
  }
}

async function stored(app: AppStore): Promise<string[]> {
  const search = { since: new Date(0), until: new Date(START * 2), query: [], lines: written.length };
  const { signal } = new AbortController();
  const { lines } = await searchFiles(await app.segments(), search, { redactor: new Redactor([]), signal });
  return lines.map(({ text }) => text);
}

test.for(["before", "within", "after"] as const)(
  "a kill %s any change on the disk loses no line and doubles none",
  async (moment) => {
    let wasKilled = true;
    for (let change = 1; wasKilled; change += 1) {
      const path = join(directory, `${change}`);
      const files = killedAt(change, moment);
      await store(new AppStore(path, { files, segmentBytesMax: 2_000 }), [0, 1, 2, 3]).catch(() => undefined);
      wasKilled = files.isDead();
      const again = new AppStore(path, { segmentBytesMax: 2_000 });
      await store(again, [4, 5, 6, 7]);
      expect(await stored(again), `change ${change}`).toEqual(written.map(({ text }) => text));
    }
  },
);

test("a host that lost its power in the middle of a line, and the state with it, joins no later line to its half", async () => {
  const [first, second, third] = written;
  await new AppStore(directory).append([first!, second!], { container: { cut: [], lines: 2 } });
  await fs.rm(join(directory, "state.json"));
  const [open] = (await fs.readdir(directory)).map((name) => join(directory, name));
  await fs.truncate(open!, (await fs.stat(open!)).size - 3);
  const again = new AppStore(directory);
  await again.append([third!], { container: { cut: [], lines: 3 } });
  expect(await stored(again)).toEqual([first!.text, third!.text]);
});
