import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { parseCidr } from "./address-block.ts";
import { createRoutingRules } from "./routing-rules.ts";

const THERE = "RTNETLINK answers: File exists\\nCommand failed -:1\\n";

/** The program in place of iproute2's; undefined when there is none. */
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
  const error = vi.spyOn(silentLogger, "error");
  const options = { addressBlock: parseCidr("10.210.0.0/16")!, log: silentLogger };
  const rules = createRoutingRules({ ...options, areRequired: true });
  const wanted = createRoutingRules({ ...options, areRequired: false });
  return { ...rules, wanted, replace, error, folder };
}

test("rules that allow come before rules that forbid", async () => {
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

test("rules that are set, or were before, are not reported", async () => {
  const { ensure, replace, error } = await rulesOn("exit 0");
  await ensure();
  await replace(`printf '${THERE}' >&2; exit 1`);
  await ensure();
  expect(error).not.toHaveBeenCalled();
});

const REFUSED = "RTNETLINK answers: Operation not permitted\\nCommand failed -:8\\n";

test.each([
  ["there is no such program", undefined, /`ip` is not installed/],
  [
    "the kernel refuses one of them",
    `printf '${THERE}${REFUSED}' >&2; exit 2`,
    /"from .* prohibit".*\(.*not permitted\)/,
  ],
  ["it fails without a word", "exit 1", /`ip` ended with status 1/],
  ["it ends by a signal, with some already there", `printf '${THERE}' >&2; kill -9 $$`, /`ip` was ended by SIGKILL/],
])("nothing is deployed while rules can't be set, until they can again: %s", async (_name, program, reason) => {
  const { ensure, wanted, replace, error } = await rulesOn(program);
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(ensure()).rejects.toMatchObject({
      code: "isolation_unavailable",
      message: expect.stringMatching(new RegExp(`${reason.source}.*run the agent as root.*SVC_ISOLATION=off`)),
    });
  }
  expect(error).toHaveBeenCalledOnce();
  await replace("exit 0");
  await ensure();

  await replace(program);
  for (let attempt = 0; attempt < 2; attempt++) await wanted.ensure();
  expect(error).toHaveBeenCalledTimes(2);
});

test("the operator is told once each time that rules can't be set any more", async () => {
  const { keep, replace } = await rulesOn("exit 1");
  const programs = ["exit 1", "exit 0", "exit 1"];
  const controller = new AbortController();
  const sleep = async (): Promise<void> => {
    const next = programs.shift();
    if (next === undefined) return controller.abort();
    await replace(next);
  };
  const told: string[] = [];
  await keep(controller.signal, ({ code }) => void told.push(code), { ...systemClock, sleep });
  expect(told).toEqual(["isolation_unavailable", "isolation_unavailable"]);
});

test("the operator is told of a failure that a deploy has met first", async () => {
  const { ensure, keep, error } = await rulesOn("exit 1");
  await expect(ensure()).rejects.toMatchObject({ code: "isolation_unavailable" });
  const controller = new AbortController();
  const sleep = async (): Promise<void> => controller.abort();
  const told: string[] = [];
  await keep(controller.signal, ({ code }) => void told.push(code), { ...systemClock, sleep });
  expect(told).toEqual(["isolation_unavailable"]);
  expect(error).toHaveBeenCalledOnce();
});

test("the rules are looked after at once and again and again, also when that fails, until the signal", async () => {
  const { keep, folder } = await rulesOn(`echo >> "$0.calls"; exit 1`);
  const controller = new AbortController();
  let pauses = 0;
  const sleep = () => Promise.resolve(++pauses === 3 ? controller.abort() : undefined);
  await keep(controller.signal, () => {}, { ...systemClock, sleep });
  expect(await readFile(join(folder, "ip.calls"), "utf8")).toBe("\n\n\n");
});
