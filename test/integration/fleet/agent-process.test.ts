import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AGENT } from "../../support/platform/bundles.ts";
import { newDataDirectory } from "../../support/agent/agent-in-process.ts";

const token = `svcjoin_${"A".repeat(43)}.${"0".repeat(64)}`;

let dataDirectory: string;
let child: ChildProcess | undefined;

beforeEach(async () => {
  dataDirectory = await newDataDirectory();
});
afterEach(async () => {
  if (child && child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  await rm(dataDirectory, { recursive: true, force: true });
});

function start(env: Record<string, string>): ChildProcess {
  const { PATH, HOME } = process.env;
  const all = { PATH: PATH!, HOME: HOME!, SVC_DATA_DIR: dataDirectory, SVC_AGENT_HTTP: "127.0.0.1:0", ...env };
  return (child = spawn(process.execPath, [AGENT], { env: all, stdio: ["ignore", "ignore", "pipe"] }));
}

async function failedStart(env: Record<string, string>): Promise<{ exitCode: number | null; message: string }> {
  const started = start(env);
  const [output] = await Promise.all([text(started.stderr!), once(started, "exit")]);
  const lines = output.trim().split("\n");
  expect(lines).toHaveLength(1);
  return { exitCode: started.exitCode, message: (JSON.parse(lines[0]!) as { msg: string }).msg };
}

describe("the agent's process", () => {
  test("that is given a value that does not parse says so in one line and exits 1", async () => {
    expect(await failedStart({ SVC_HTTPS_PORT: "https" })).toEqual({
      exitCode: 1,
      message: 'SVC_HTTPS_PORT is "https"; allowed is a whole number from 1 to 65535.',
    });
  });

  test("that has not joined and has no token says how to get one and exits 1", async () => {
    const { exitCode, message } = await failedStart({});
    expect(exitCode).toBe(1);
    expect(message).toContain("npm run admin -- server token");
  });

  test("waits for a control plane that is not there, and ends with 0 at SIGTERM", async () => {
    const started = start({ SVC_JOIN_TOKEN: token, SVC_CONTROL_PLANE: "https://127.0.0.1:1" });
    await once(started.stderr!, "data");
    started.kill("SIGTERM");
    const [exitCode] = (await once(started, "exit")) as [number | null];
    expect(exitCode).toBe(0);
  });
});
