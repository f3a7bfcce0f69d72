import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { program } from "../support/platform/apps.ts";
import type { Platform } from "../support/platform/platform.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";
import { makeSvcUser, type SvcUser } from "../support/svc/svc.ts";
import { eventually } from "../support/tools/eventually.ts";

const run = promisify(execFile);
let setup: PlatformWithGit;
let platform: Platform;
let user: SvcUser;

beforeAll(async () => {
  setup = await startPlatformWithGit();
  platform = setup.platform;
  user = await makeSvcUser();
});
afterAll(async () => {
  await user?.remove();
  await setup?.stop();
});

/** An app that writes a numbered line every 20 ms, and at its end how many there were. */
const counting = (word: string) =>
  program(`let count = 0;
setInterval(() => console.log("${word} tick", count++, process.env.TOKEN), 20);
console.error("ERROR ${word} begins");
require("node:http").createServer((req, res) => res.end("${word}")).listen(process.env.PORT, "0.0.0.0");
process.on("SIGTERM", () => { console.log("${word} ends after", count); process.exit(0); });`);

interface Answer {
  logs: string;
  continue_until: string | null;
}

/** An agent that was killed takes a moment to be linked again. */
async function search(query: string): Promise<Answer> {
  const { body } = await eventually(
    () => platform.api("GET", `/api/apps/clock/logs?lines=500&${query}`),
    ({ status }) => status === 200,
    { what: "the search", deadlineMs: 60_000 },
  );
  return body as Answer;
}

/** All lines that are found, as one who looks further back reads them. */
async function searchAll(query: string): Promise<string[]> {
  const parts: string[][] = [];
  for (let until = ""; ;) {
    const { logs, continue_until: goOn } = await search(query + until);
    parts.unshift(logs === "" ? [] : logs.split("\n"));
    if (goOn === null) return parts.flat();
    until = `&until=${goOn}`;
  }
}

const textsOf = (lines: readonly string[]): string[] => lines.map((line) => line.slice(line.indexOf(" ") + 1));

it("an app's lines are found when its containers were replaced and removed, none missing or twice, though the agent was killed", async () => {
  const repository = await setup.createApp("clock", counting("one"));
  await platform.api("PUT", "/api/apps/clock/env", { env: { TOKEN: "canary-4711-canary" } });
  expect((await platform.deploy("clock")).deploy.status).toBe("success");
  await eventually(
    () => search("query=tick"),
    ({ logs }) => logs !== "",
    { what: "the first lines are stored" },
  );
  await platform.agent.stop("SIGKILL");
  await platform.agent.start();
  const between = new Date().toISOString();
  for (const word of ["two", "three"]) {
    await repository.commit(counting(word));
    expect((await platform.deploy("clock")).deploy.status).toBe("success");
    await platform.agent.stop("SIGKILL");
    await platform.agent.start();
  }
  await eventually(
    () => platform.api("POST", "/api/apps/clock/action", { action: "stop" }),
    ({ status }) => status === 200,
    { what: "the app is stopped", deadlineMs: 60_000 },
  );
  for (const word of ["one", "two", "three"]) {
    const ticks = await eventually(
      () => searchAll(`query=${word}%20-probe`),
      (lines) => textsOf(lines).some((text) => text.startsWith(`${word} ends after`)),
      { what: `the end of ${word}`, deadlineMs: 60_000 },
    );
    const texts = textsOf(ticks);
    const count = Number(
      texts
        .find((text) => text.startsWith(`${word} ends after`))!
        .split(" ")
        .at(-1),
    );
    const expected = Array.from({ length: count }, (_, i) => `${word} tick ${i} [REDACTED]`);
    expect(texts.filter((text) => text.includes("tick"))).toEqual(expected);
  }
  const { stdout } = await run("docker", ["ps", "--all", "--quiet", "--filter", "name=^svc-clock-"]);
  await run("docker", ["rm", "--force", ...stdout.trim().split("\n")]);
  const errors = await searchAll("query=level:error");
  expect(textsOf(errors)).toEqual(["one", "two", "three"].map((word) => `ERROR ${word} begins`));
  expect(textsOf(await searchAll(`query=level:error&since=${between}`))).toHaveLength(2);
  expect(textsOf(await searchAll(`query=level:error&until=${between}`))).toEqual(["ERROR one begins"]);
  const of = ["--app", "clock", "--url", platform.baseUrl, "--key", platform.key];
  const shown = await user.svc(["logs", "--query", "level:error", "--since", "1h", ...of]);
  expect([shown.status, textsOf(shown.stdout.trim().split("\n"))]).toEqual([0, textsOf(errors)]);
  const newest = await user.svc(["logs", "--query", "tick", "-n", "1", ...of]);
  expect(newest.stderr).toMatch(/there may be more before\. Go on with --until 2\S+Z/);
  const lately = await user.svc(["logs", "--query", "tick", "--since", "1h", "-n", "1", ...of]);
  expect(lately.stderr).toMatch(/Go on with --since 2\S+Z --until 2\S+Z/);
  expect((await user.svc(["logs", "--query", "level:loud", ...of])).stderr).toContain(
    "none of error, warn, info, debug",
  );
  expect((await user.svc(["logs", "--query", "never-written", ...of])).stderr).toContain("Nothing was found.");
});
