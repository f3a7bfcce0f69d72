import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { keepLogged } from "../../../../test/support/tools/logged.ts";
import { parseCidr } from "./address-block.ts";
import { createConnectionRate } from "./connection-rate.ts";

/** @param program in the place of Debian's iptables; undefined when there is none */
async function rateWith(program: string | undefined, looks: number) {
  const folder = await mkdtemp(join(tmpdir(), "svc-iptables-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  vi.stubEnv("PATH", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  if (program !== undefined) await writeFile(join(folder, "iptables"), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  const { log, logged } = keepLogged();
  const controller = new AbortController();
  let pauses = 0;
  const sleep = async (): Promise<void> => {
    if (++pauses === looks) controller.abort();
  };
  const rate = createConnectionRate({ addressBlock: parseCidr("10.210.0.0/16")!, log });
  await rate.keep(controller.signal, { ...systemClock, sleep });
  const calls = await readFile(join(folder, "iptables.calls"), "utf8").catch(() => "");
  return { logged, calls: calls.split("\n").filter((line) => line !== "") };
}

const RULE = (source: string): string =>
  `PREROUTING ${source} -m comment --comment svc-connection-rate -m conntrack --ctstate NEW -m hashlimit ` +
  "--hashlimit-name svc --hashlimit-mode srcip --hashlimit-above 1000/second --hashlimit-burst 10000 -j DROP";

test("the rules are set for apps and for builds where they are not there", async () => {
  const { calls, logged } = await rateWith(`echo "$*" >> "$0.calls"; [ "$5" = -A ]`, 1);
  expect(calls).toEqual(
    ["-s 10.210.0.0/16", "-i docker0"].flatMap((source) =>
      ["-C", "-A"].map((verb) => `-w 5 -t mangle ${verb} ${RULE(source)}`),
    ),
  );
  expect(logged).toEqual([]);
});

test("rules that are there stay as they are, however often they are looked after", async () => {
  const { calls } = await rateWith(`echo "$5" >> "$0.calls"`, 3);
  expect(calls).toEqual(Array(6).fill("-C"));
});

test.each([
  ["there is no such program", undefined],
  ["this user may not change the firewall", "exit 4"],
  ["the kernel has no such match", `[ "$5" = -C ] && exit 1; exit 2`],
])("a host where they can't be set goes without, and the log says so once: %s", async (_name, program) => {
  const { logged } = await rateWith(program, 3);
  expect(logged).toMatchObject([{ level: "warn", text: expect.stringContaining("install iptables") }]);
});
