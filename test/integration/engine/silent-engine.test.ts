import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectDocker } from "@svc/agent/engine/connection.ts";
import { HostNames } from "@svc/agent/engine/network/host-names.ts";
import { createDockerEngine } from "@svc/agent/engine/engine.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { afterEach, beforeEach, expect, it } from "vitest";

let directory: string;
let server: Server;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "svc-silent-"));
  server = createServer(() => undefined).listen(join(directory, "docker.sock"));
  await once(server, "listening");
});

afterEach(() => {
  server.close();
  rmSync(directory, { recursive: true, force: true });
});

it("an engine that accepts calls and answers none is unavailable after a while, and never waited for longer", async () => {
  const engine = createDockerEngine({
    docker: connectDocker(`unix://${join(directory, "docker.sock")}`),
    serverId: newId(),
    addressBlock: { first: (10 << 24) | (231 << 16), prefix: 24 },
    names: new HostNames("secret"),
    build: () => Promise.reject(new Error("nothing is built")),
    askMsMax: 200,
    log,
  });
  for (const ask of [() => engine.describe(), () => engine.list({}), () => engine.images(newId())]) {
    await expect(ask()).rejects.toMatchObject({ code: "engine_unavailable" });
  }
});
