import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { isDebianLike } from "./apt.mjs";

const run = promisify(execFile);
const APT = new URL("apt.mjs", import.meta.url).href;

/** In the place of Debian's: nothing is installed yet, everything is known, and one install at a time is let through. */
const PROGRAMS = {
  "dpkg-query": "exit 1",
  "apt-cache": "exit 0",
  "apt-get": `
    for package; do :; done
    mkdir "$PROGRAMS/lock" || exit 100
    sleep 0.2
    rmdir "$PROGRAMS/lock"
    echo "$package" >> "$PROGRAMS/installed"
    [ "$package" != refused ]`,
};

test("packages are installed by one caller at a time, and a failure takes nothing from the next", async () => {
  const folder = await mkdtemp(join(tmpdir(), "svc-apt-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(PROGRAMS)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  const script = `
    import { installPackages } from ${JSON.stringify(APT)};
    const all = ["first", "refused", "last"].map((name) => installPackages([name], "a test"));
    process.stdout.write((await Promise.allSettled(all)).map(({ status }) => status).join(" "));`;
  const env = { ...process.env, PATH: `${folder}:${process.env["PATH"]}`, PROGRAMS: folder };
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script], { env });
  expect(stdout).toBe("fulfilled rejected fulfilled");
  // Once more after fresh lists, which the program takes for a package too.
  const installed = (await readFile(join(folder, "installed"), "utf8")).trim().split("\n");
  expect(installed.filter((line) => !line.startsWith("DPkg"))).toEqual(["first", "refused", "refused", "last"]);
});

test.each([
  ["Debian", "ID=debian\nVERSION_ID=12\n", true],
  ["Ubuntu", 'ID=ubuntu\nID_LIKE="debian"\n', true],
  ["a derivative of Ubuntu", 'ID=linuxmint\nID_LIKE="ubuntu debian"\n', true],
  ["Fedora", "ID=fedora\n", false],
  ["a system without os-release", "", false],
])("apt-get is used on %s: %#", (_name, release, expected) => {
  expect(isDebianLike(release)).toBe(expected);
});
