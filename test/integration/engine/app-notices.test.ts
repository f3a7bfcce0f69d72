import { afterAll, beforeAll, expect, test } from "vitest";
import { nodeApp } from "../../support/platform/apps.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../../support/platform/platform-with-git.ts";

/** From the path on, the app takes memory, or processes, without end. */
const GREEDY = nodeApp(`
  const { spawn } = require("node:child_process");
  if (req.url === "/fill") setImmediate(() => { for (const all = []; ; ) all.push(Buffer.alloc(1 << 20, 1)); });
  if (req.url === "/fork") setInterval(() => { for (let i = 0; i < 20; i++) spawn("sleep", ["600"]).on("error", () => 0); }, 50);
  return "hello";
`);
const SMALL = { "svc.yaml": "# spec: svc/v1\nname: greedy\nresources: {memory: 400m}\n" };

const KILLED = "[platform] The app reached its memory limit of 400 MiB; the kernel ended a process of it.";
const ENDED = "[platform] The app ended with exit code 137 and is started again (restart 1).";
const UNHEALTHY = "[platform] The app is unhealthy: it ended because it reached its memory limit.";
const CROWDED = "[platform] The app reached its limit of 512 processes and threads; it can start no more of them.";

let setup: PlatformWithGit;

beforeAll(async () => {
  setup = await startPlatformWithGit();
  await setup.createApp("greedy", { ...GREEDY, ...SMALL });
  await setup.createApp("quiet", nodeApp());
  for (const name of ["greedy", "quiet"]) expect((await setup.platform.deploy(name)).deploy.status).toBe("success");
});
afterAll(() => setup?.stop());

async function logOf(name: string, query = ""): Promise<string[]> {
  const { body } = await setup.platform.api("GET", `/api/apps/${name}/logs${query}`);
  return String((body as { logs: string }).logs).split("\n");
}

const notices = (lines: readonly string[]): string[] =>
  lines.filter((line) => line.includes("[platform]")).map((line) => line.slice(line.indexOf(" ") + 1));

/** Returns the output of the operator's command. */
const serverStatus = (): Promise<string> => setup.platform.admin("server", "status", "server-1");

test("an app that takes memory without end finds why it ended in its log, as it happens, and the operator finds the app", async () => {
  const { platform } = setup;
  const leaving = new AbortController();
  const response = await fetch(`${platform.baseUrl}/api/apps/greedy/logs?follow=1`, {
    headers: { authorization: `Bearer ${platform.key}` },
    signal: leaving.signal,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  await platform.fetchApp("greedy", "/fill").catch(() => undefined);
  let followed = "";
  while (!followed.includes(ENDED)) {
    const { done, value } = await reader.read();
    if (done) break;
    followed += value;
  }
  leaving.abort();
  await reader.cancel().catch(() => undefined);
  expect(followed).toContain(KILLED);
  expect(followed).toContain(ENDED);

  const told = async () => notices(await logOf("greedy"));
  await eventually(told, ({ length }) => length >= 3, { what: "its health is told as well" });
  expect((await told()).slice(0, 3).toSorted()).toEqual([ENDED, expect.stringContaining(UNHEALTHY), KILLED]);
  expect(await logOf("greedy", "?lines=1")).toHaveLength(1);
  expect(notices(await logOf("greedy", "?source=access"))).toEqual([]);
  expect(notices(await logOf("quiet"))).toEqual([]);
  const said = "The app greedy reached its memory limit of 400 MiB; the kernel ended a process of it.";
  await eventually(serverStatus, (text) => text.includes(said), { what: "the operator is told", deadlineMs: 20_000 });
});

test("an app that starts processes without end finds so in its log, and the operator finds the app", async () => {
  const { platform } = setup;
  await eventually(
    () => platform.fetchApp("greedy"),
    ({ status }) => status === 200,
    { what: "the app is back", deadlineMs: 30_000 },
  );
  await platform.fetchApp("greedy", "/fork");
  const read = async () => notices(await logOf("greedy"));
  await eventually(read, (lines) => lines.includes(CROWDED), { what: "the owner is told", deadlineMs: 60_000 });
  const said = "The app greedy reached its limit of 512 processes and threads";
  await eventually(serverStatus, (text) => text.includes(said), { what: "the operator is told", deadlineMs: 20_000 });
  expect(notices(await logOf("quiet"))).toEqual([]);
});
