import { once } from "node:events";
import { createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { gitHandler } from "./git-server.ts";

test.each(["//", "/"])("a path of %j is answered with 404, each time", async (path) => {
  const server = createServer(gitHandler("/nonexistent")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  for (let time = 0; time < 2; time++) {
    const [answer] = (await once(request({ port, path }).end(), "response")) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(404);
  }
  server.close();
});
