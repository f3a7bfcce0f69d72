import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectDocker } from "@svc/agent/engine/connection.ts";
import { createDockerEngine, type HostEngine } from "@svc/agent/engine/engine.ts";
import { HostNames } from "@svc/agent/engine/network/host-names.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { afterEach, beforeEach, expect, test } from "vitest";

let directory: string;
let server: Server;
let engine: HostEngine;
/** Calls that have the engine start programs. */
let asked: string[];
let isAway: boolean;

/** Between the agent and the real engine. */
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "svc-described-"));
  const socket = join(directory, "docker.sock");
  asked = [];
  isAway = false;
  server = createServer((req, res) => {
    if (isAway) return void req.socket.destroy();
    asked.push(...(/(?:info|version)$/.exec(req.url!) ?? []));
    request({ socketPath: "/var/run/docker.sock", path: req.url, method: req.method }, (answer) => {
      res.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(res);
    }).end();
  }).listen(socket);
  await once(server, "listening");
  engine = createDockerEngine({
    docker: connectDocker(`unix://${socket}`),
    serverId: newId(),
    addressBlock: { first: (10 << 24) | (231 << 16), prefix: 24 },
    names: new HostNames("secret"),
    build: () => Promise.reject(new Error("nothing is built")),
    log,
  });
});
afterEach(() => {
  server.close();
  rmSync(directory, { recursive: true, force: true });
});

test("an engine that goes on answering is asked for its version once, however often its status is told", async () => {
  const first = await engine.describe();
  asked = [];
  for (let status = 0; status < 20; status++) expect(await engine.describe()).toEqual(first);
  expect(asked).toEqual([]);
});

test("an engine that was away is so said at once, and asked for its version again", async () => {
  const first = await engine.describe();
  isAway = true;
  await expect(engine.describe()).rejects.toMatchObject({ code: "engine_unavailable" });
  isAway = false;
  asked = [];
  expect(await engine.describe()).toEqual(first);
  expect(asked).toEqual(expect.arrayContaining(["version", "info"]));
});
