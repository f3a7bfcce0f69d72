import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@svc/shared/clock.ts";
import { silentLogger } from "@svc/shared/logger.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { parseCidr } from "../domain/address-block.ts";
import { createRoutingRules } from "./routing-rules.ts";

const THERE = "RTNETLINK answers: File exists\\nCommand failed -:1\\n";

/** In the place of iproute2's; undefined when there is none. */
type Program = string | undefined;

async function rulesOn(program: Program) {
  const folder = await mkdtemp(join(tmpdir(), "svc-ip-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  vi.stubEnv("PATH", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const replace = async (by: Program): Promise<void> => {
    const path = join(folder, "ip");
    await rm(path, { force: true });
    if (by !== undefined) await writeFile(path, `#!/bin/sh\n${by}\n`, { mode: 0o755 });
  };
  await replace(program);
  const warn = vi.spyOn(silentLogger, "warn");
  const rules = createRoutingRules(parseCidr("10.210.0.0/16")!, silentLogger);
  return { ...rules, replace, warn, folder };
}

/** How often the log has warned each time that the rules were looked after. */
async function warningsWhen(...programs: Program[]): Promise<number[]> {
  const { ensure, replace, warn } = await rulesOn(undefined);
  const counts: number[] = [];
  for (const program of programs) {
    await replace(program);
    await ensure();
    counts.push(warn.mock.calls.length);
  }
  return counts;
}

test("what is allowed comes before what is not", async () => {
  const { ensure, folder } = await rulesOn(`while read -r line; do echo "$line"; done > "$0.input"`);
  await ensure();
  expect((await readFile(join(folder, "ip.input"), "utf8")).trim().split("\n")).toEqual([
    "rule add from 10.210.0.0/16 to 169.254.0.0/16 ipproto udp dport 53 lookup main priority 16921",
    "rule add from 10.210.0.0/16 to 169.254.0.0/16 ipproto tcp dport 53 lookup main priority 16922",
    "rule add from 10.210.0.0/16 to 169.254.0.0/16 prohibit priority 16923",
    "rule add from all iif docker0 to 169.254.0.0/16 ipproto udp dport 53 lookup main priority 16924",
    "rule add from all iif docker0 to 169.254.0.0/16 ipproto tcp dport 53 lookup main priority 16925",
    "rule add from all iif docker0 to 169.254.0.0/16 prohibit priority 16926",
    "rule add from 10.210.0.0/16 to 10.210.0.0/16 iif lo lookup main priority 16927",
    "rule add from 10.210.0.0/16 to 10.210.0.0/16 prohibit priority 16928",
    "rule add from all iif docker0 to 10.210.0.0/16 prohibit priority 16929",
  ]);
});

test("rules that are set, or were before, are no news", async () => {
  expect(await warningsWhen("exit 0", `printf '${THERE}' >&2; exit 1`)).toEqual([0, 0]);
});

test.each([
  ["there is no such program", undefined],
  ["the kernel refuses one of them", `printf '${THERE}RTNETLINK answers: Operation not permitted\\n' >&2; exit 2`],
  ["it fails without a word", "exit 1"],
  ["it ends by a signal, with some already there", `printf '${THERE}' >&2; kill -9 $$`],
])(
  "work goes on when rules can't be set, and the log says so once until they can again: %s",
  async (_name, program) => {
    expect(await warningsWhen(program, program, "exit 0", program)).toEqual([1, 1, 1, 2]);
  },
);

test("the rules are looked after at once and again and again, also when that fails, until the signal", async () => {
  const { keep, folder } = await rulesOn(`echo >> "$0.calls"; exit 1`);
  const controller = new AbortController();
  let pauses = 0;
  const sleep = () => Promise.resolve(++pauses === 3 ? controller.abort() : undefined);
  await keep(controller.signal, { ...systemClock, sleep });
  expect(await readFile(join(folder, "ip.calls"), "utf8")).toBe("\n\n\n");
});
