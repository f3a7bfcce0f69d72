import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { callEngine, engineAddress, probeEngine, readEngine, readProgress } from "./engine.mjs";

let server: Server | undefined;
const folder = mkdtempSync(join(tmpdir(), "svc-engine-"));
afterEach(() => {
  server?.close();
});

/** An engine that gives one answer, on a socket that DOCKER_HOST names. */
async function engineAnswering(status: number, chunks: readonly string[]): Promise<void> {
  const socket = join(folder, "docker.sock");
  rmSync(socket, { force: true });
  server = createServer((_req, res) => {
    res.writeHead(status);
    for (const chunk of chunks) res.write(chunk);
    res.end();
  });
  await once(server.listen(socket), "listening");
  vi.stubEnv("DOCKER_HOST", `unix://${socket}`);
}

test("the engine's address is DOCKER_HOST, else the local socket", () => {
  expect(engineAddress({})).toEqual({ socketPath: "/var/run/docker.sock" });
  expect(engineAddress({ DOCKER_HOST: "unix:///run/user/0/docker.sock" })).toEqual({
    socketPath: "/run/user/0/docker.sock",
  });
  expect(engineAddress({ DOCKER_HOST: "tcp://10.0.0.1:2375" })).toMatchObject({ host: "10.0.0.1", port: "2375" });
  expect(engineAddress({ DOCKER_HOST: "tcp://[fd00::1]" })).toMatchObject({ host: "fd00::1", port: "2375" });
  expect(() => engineAddress({ DOCKER_HOST: "ssh://root@host" })).toThrow(
    /DOCKER_HOST is "ssh:\/\/root@host"; allowed is/,
  );
});

test("a socket without an engine behind it is no engine", async () => {
  vi.stubEnv("DOCKER_HOST", `unix://${join(folder, "nothing.sock")}`);
  expect(await probeEngine()).toMatchObject({ answers: false, code: "ENOENT" });
});

test("progress is read whatever way it is cut into chunks, and a failure in it is thrown", async () => {
  await engineAnswering(200, ['{"stream":"a"}\r\n{"str', 'eam":"b"}\r\n', '{"error":"no space left"}']);
  const seen: unknown[] = [];
  const read = async (): Promise<void> => {
    for await (const message of readProgress(await callEngine("POST", "/build"))) seen.push(message.stream);
  };
  await expect(read()).rejects.toThrow("no space left");
  expect(seen).toEqual(["a", "b"]);
});

test("a thing that the engine does not know is undefined; any other refusal is its own sentence", async () => {
  await engineAnswering(404, ['{"message":"No such image: x"}']);
  expect(await readEngine("/images/x/json")).toBeUndefined();
  await engineAnswering(500, ['{"message":"disk is broken"}']);
  await expect(readEngine("/images/x/json")).rejects.toThrow("disk is broken");
});
