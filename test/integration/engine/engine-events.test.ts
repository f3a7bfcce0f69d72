import { AppNotices } from "@svc/agent/engine/logs/app-notices.ts";
import { watchContainers } from "@svc/agent/bounds/watch-containers.ts";
import { connectDocker } from "@svc/agent/engine/connection.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { afterAll, expect, test } from "vitest";
import { startCuttingProxy } from "../../support/tools/cutting-proxy.ts";
import { createTestEngine, newApp, nodeContainer } from "../../support/engine/docker.ts";
import { eventually } from "../../support/tools/eventually.ts";

const testEngine = createTestEngine();
const { engine } = testEngine;
afterAll(() => testEngine.cleanUp());

test("an app that ran out of memory while the engine could not be reached is told when it can", async () => {
  const line = await startCuttingProxy(process.env["DOCKER_HOST"] ?? "unix:///var/run/docker.sock");
  const behindLine = testEngine.again({ docker: connectDocker(line.url.replace("http:", "tcp:")) });
  const [notices, stop, errors] = [new AppNotices(), new AbortController(), [] as string[]];
  const report = (_code: string, message: string): void => void errors.push(message);
  const watching = watchContainers(
    { engine: behindLine, notices, clock: systemClock, log, report, onEventsEnd: () => undefined },
    stop.signal,
  );
  try {
    await eventually(line.opened, (count) => count >= 2, { what: "the watch has connected" });
    line.refuse(true);
    const app = newApp("greedy");
    const { id } = await engine.run(nodeContainer(app, "for (const all = []; ; ) all.push(Buffer.alloc(1 << 20, 1))"));
    const stateOf = async () => (await engine.list({ appId: app.id }))[0]?.state;
    await eventually(stateOf, (state) => state === "exited", { what: "the app has ended", deadlineMs: 30_000 });
    expect(errors).toEqual([]);
    line.refuse(false);
    const told = () => notices.of({ appId: app.id, containerId: id }).map(({ text }) => text);
    await eventually(told, ({ length }) => length >= 2, { what: "the owner is told", deadlineMs: 40_000 });
    expect(told()).toEqual([
      "The app reached its memory limit of 64 MiB; the kernel ended a process of it.",
      "The app ended with exit code 137.",
    ]);
    expect(errors).toEqual([expect.stringContaining("The app greedy reached its memory limit of 64 MiB")]);
  } finally {
    stop.abort();
    await watching;
    await line.close();
  }
});
