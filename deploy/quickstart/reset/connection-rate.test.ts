import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { removeConnectionRate } from "./connection-rate.ts";

const OWN = `PREROUTING -s 10.210.0.0/16 -m comment --comment svc-connection-rate -j DROP`;
const FOREIGN = `PREROUTING -s 10.210.0.0/16 -m comment --comment somebody -j DROP`;

/** The program in place of Debian's. */
const IPTABLES = `#!/bin/sh
echo "$*" >> "$0.calls"
[ "$5" = -S ] && printf '%s\\n' '-P PREROUTING ACCEPT' '-A ${OWN}' '-A ${FOREIGN}'
exit 0
`;

async function withProgram(program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "svc-iptables-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "iptables"), program, { mode: 0o755 });
  vi.stubEnv("PATH", `${folder}:/usr/bin:/bin`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}

test("the agents' rules for the rate of connections are removed, and no others", async () => {
  const folder = await withProgram(IPTABLES);
  await removeConnectionRate();
  const calls = (await readFile(join(folder, "iptables.calls"), "utf8")).trim().split("\n");
  expect(calls).toEqual(["-w 5 -t mangle -S PREROUTING", `-w 5 -t mangle -D ${OWN}`]);
});

test("a firewall that may not be read is left alone", async () => {
  await withProgram("#!/bin/sh\nexit 4\n");
  await expect(removeConnectionRate()).resolves.toBeUndefined();
});
