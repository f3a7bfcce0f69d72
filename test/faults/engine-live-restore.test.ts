import { newApp, nodeContainer } from "../support/engine/docker.ts";
import { createDockerEngine } from "@svc/agent/engine/engine.ts";
import { HostNames } from "@svc/agent/engine/network/host-names.ts";
import { parseCidr } from "@svc/agent/engine/network/address-block.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../support/tools/eventually.ts";
import { startOwnEngine, type OwnEngine } from "../support/engine/own-engine.ts";

let own: OwnEngine;
beforeAll(async () => {
  own = await startOwnEngine({ images: ["node:22-slim"], reachable: true, args: ["--live-restore"] });
});
afterAll(() => own?.stop());

it("an engine with live-restore that is killed and comes back costs no request", async () => {
  const engine = createDockerEngine({
    docker: own.docker,
    serverId: newId(),
    addressBlock: parseCidr(own.block)!,
    isIsolationRequired: false,
    names: new HostNames(newId()),
    build: () => Promise.reject(new Error("this test builds nothing")),
    log,
  });
  const script = `require("http").createServer((q, r) => r.end(String(process.uptime()))).listen(3000, "0.0.0.0")`;
  const app = newApp();
  const container = await engine.run(nodeContainer(app, script));
  await engine.keepRunning(container.id);
  const ask = () => fetch(`http://${container.address}:3000`).then((answer) => answer.text());
  await eventually(
    () => ask().catch(String),
    (text) => Number(text) > 0,
    { what: "the app serves" },
  );

  let isOver = false;
  const answers: number[] = [];
  const asking = (async () => {
    while (!isOver) answers.push(Number(await ask()));
  })();
  await own.kill();
  await own.startAgain();
  isOver = true;
  await asking;
  expect(answers.length).toBeGreaterThan(10);
  expect(answers).toEqual(answers.toSorted((a, b) => a - b));
  expect(await engine.list({ appId: app.id })).toMatchObject([{ state: "running", startedAt: container.startedAt }]);
});
