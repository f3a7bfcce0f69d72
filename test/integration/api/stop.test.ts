import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { listen } from "@svc/control-plane/api/listener.ts";
import { keepLogged } from "../../support/tools/logged.ts";

const { log } = keepLogged();

/** Less than what requests that run are waited for at a stop. */
const WITHIN_MS = 10_000;

test(
  "a stop waits for the answer to a request, and not for its connection, which the client would keep",
  { timeout: WITHIN_MS },
  async () => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const api = {
      async fetch() {
        asked.resolve();
        await answered.promise;
        return new Response("done");
      },
    };
    const { address, close } = await listen(api, { address: { host: "127.0.0.1", port: 0 }, tls: undefined, log });
    const socket = connect(address.port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk.toString()));
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await asked.promise;

    const stopped = close();
    answered.resolve();
    await Promise.all([stopped, once(socket, "close")]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*done$/);
  },
);
