import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import Docker from "dockerode";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createSerializer } from "../platform/serialize.ts";
import type { DockerContext } from "./context.ts";
import { HostNames } from "./network/host-names.ts";
import { requireImage } from "./images.ts";

let server: Server;
let ctx: DockerContext;
/** The engine's words on a pull; the image is there afterwards if it `has` it. */
let engine: { said: string; has: boolean };

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.method === "POST") return void response.end(engine.said);
    response.statusCode = engine.has ? 200 : 404;
    response.end(JSON.stringify(engine.has ? { Id: "sha256:a", Config: {} } : { message: "No such image" }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const docker = new Docker({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
  ctx = {
    docker,
    serverId: "server-1",
    addressBlock: { first: 0, prefix: 16 },
    resolveImage: (name) => name,
    names: new HostNames("secret"),
    serialize: createSerializer(),
    layer: { bytesMax: 1, isEnforceable: false },
    ensureRoutingRules: () => Promise.resolve(),
    log: silentLogger,
  };
});
afterAll(() => server.close());
beforeEach(() => {
  engine = { said: "", has: false };
});

const require = () => requireImage(ctx, "node:22-slim", { id: "1", name: "shop" });

test("an image that is there is not fetched", async () => {
  engine = { said: "not asked for", has: true };
  await expect(require()).resolves.toEqual({ id: "sha256:a", startsAsRoot: true });
});

test.each([
  ["says why it can't be fetched", '{"status":"Pulling"}\n{"error":"manifest unknown"}\n', "manifest unknown"],
  ["answers with something else than JSON", "<html>a proxy's page</html>\n", /JSON/],
  ["ends in the middle of a message", '{"status":"Pull', /JSON/],
])("an engine that %s makes it unavailable, with the reason as its cause", async (_what, said, cause) => {
  engine.said = said;
  await expect(require()).rejects.toMatchObject({
    code: "base_image_unavailable",
    cause: expect.stringMatching(cause),
  });
});
