import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { dockerfile, run, startBuilds, type Builds } from "../../support/engine/builds.ts";
import { startOwnEngine, type OwnEngine } from "../../support/engine/own-engine.ts";
import { newId } from "@svc/shared/rules/ids.ts";

let builds: Builds;
let own: OwnEngine | undefined;

beforeAll(async () => {
  builds = await startBuilds({ memoryBytes: 256 * 1024 ** 2, cpuMillis: 2000, pids: 64 });
});
afterAll(() => builds?.cleanUp());
afterEach(async () => {
  await own?.stop();
  own = undefined;
});

async function build(engine: OwnEngine, ...lines: string[]): Promise<unknown> {
  const prepared = await builds.prepare(
    dockerfile(...lines),
    {},
    { engine: builds.engineWith({ docker: engine.docker }) },
  );
  return run(prepared).catch((error: unknown) => error);
}

/** Not without end, should the cap not hold; slow enough that it is not over before anybody has looked. */
const eatMemory = `for (1..40) { push @all, "a" x (32 * 1024 * 1024); select(undef, undef, undef, 0.05) }`;

it.each([
  ["an absolute parent of groups", ["--cgroup-parent=/{id}/builds"]],
  ["a relative parent of groups", ["--cgroup-parent={id}"]],
  ["the systemd driver", ["--exec-opt=native.cgroupdriver=systemd"]],
  [
    "the systemd driver and a slice of its own",
    ["--exec-opt=native.cgroupdriver=systemd", "--cgroup-parent={id}.slice"],
  ],
])("the first build of an engine with %s is held to its caps", async (_which, args) => {
  own = await startOwnEngine({ args });
  expect(await build(own, `RUN : ${newId()}; perl -e '${eatMemory}'`)).toMatchObject({
    code: "build_out_of_memory",
    message: expect.stringContaining("256 MiB"),
  });
  const forks = `RUN : ${newId()}; sleep 0.3; i=0; while [ $i -lt 200 ]; do i=$((i+1)); sleep 2 & done; wait`;
  expect(await build(own, forks)).toMatchObject({ code: "build_failed", message: expect.stringMatching(/fork/i) });
  expect(await build(own, "RUN sleep 0.2")).toMatchObject({ imageDigest: expect.stringMatching(/^sha256:/) });
});
