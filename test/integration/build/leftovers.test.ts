import { statfs } from "node:fs/promises";
import { newId } from "@svc/shared/rules/ids.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { dockerfile, run, startBuilds, type Builds } from "../../support/engine/builds.ts";
import { newApp } from "../../support/engine/docker.ts";
import { eventually } from "../../support/tools/eventually.ts";
import type { Engine, OwnedApp } from "@svc/agent/ports.ts";
import { startOwnEngine, type OwnEngine } from "../../support/engine/own-engine.ts";

const MEGABYTE = 1024 ** 2;

let builds: Builds;
let own: OwnEngine;
let engine: Engine;

beforeAll(async () => {
  builds = await startBuilds();
  own = await startOwnEngine({ diskMegabytes: 2500 });
  const watermarks = { diskBytesMin: 1000 * MEGABYTE, memoryBytesMin: MEGABYTE, ratioMin: 0.01 };
  engine = builds.engineWith({ docker: own.docker, watermarks });
});
afterAll(async () => {
  await own?.stop();
  await builds?.cleanUp();
});

async function freeMegabytes(): Promise<number> {
  const { bavail, bsize } = await statfs(own.dataDirectory);
  return (bavail * bsize) / MEGABYTE;
}

async function build(app: OwnedApp, ...lines: string[]): Promise<unknown> {
  return run(await builds.prepare(dockerfile(...lines), {}, { engine, app })).catch((error: unknown) => error);
}

const write = (megabytes: number): string =>
  `RUN : ${newId()}; dd if=/dev/zero of=/x bs=1M count=${megabytes}; sync; sleep 1`;

it("the files of a build that ended for want of disk are freed before the next begins, and none of another's", async () => {
  const others = write(100);
  const [another, app] = [newApp(), newApp()];
  expect(await build(another, others)).toMatchObject({ imageDigest: expect.any(String) });
  const free = await freeMegabytes();
  const cacheMount = `RUN --mount=type=cache,target=/c : ${newId()}; dd if=/dev/zero of=/c/x bs=1M count=150; sync`;
  // The engine keeps finished steps, and frees a step that was cut short a second later.
  expect(await build(app, cacheMount, write(150), write(150), write(2000))).toMatchObject({ code: "disk_full" });
  const next = await builds.prepare(dockerfile(others), {}, { engine, app: another });
  expect(await run(next)).toMatchObject({ imageDigest: expect.any(String) });
  expect(next.lines.join("\n")).toContain("CACHED");
  await eventually(freeMegabytes, (megabytes) => free - megabytes < 20, { what: "all that it wrote is freed" });
});
