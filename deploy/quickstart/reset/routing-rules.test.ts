import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { removeRoutingRules } from "./routing-rules.ts";

/** In the place of iproute2's: each priority has two rules, of which one that allows comes before those that forbid. */
const IP = `#!/bin/sh
echo "$*" >> "$0.calls"
priority="$5"
for nth in 1 2; do
  [ -e "$0.$priority.$nth" ] || { : > "$0.$priority.$nth"; exit 0; }
done
echo "RTNETLINK answers: No such file or directory" >&2
exit 2
`;

test("the agents' routing rules are removed, those of every block, the last first", async () => {
  const folder = await mkdtemp(join(tmpdir(), "svc-ip-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "ip"), IP, { mode: 0o755 });
  vi.stubEnv("PATH", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  await removeRoutingRules();
  const calls = (await readFile(join(folder, "ip.calls"), "utf8")).trim().split("\n");
  const priorities = [16929, 16928, 16927, 16926, 16925, 16924, 16923, 16922, 16921];
  expect(calls).toEqual(priorities.flatMap((priority) => Array(3).fill(`-4 rule del priority ${priority}`)));
});
