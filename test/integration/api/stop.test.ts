import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { listen } from "@svc/control-plane/api/listener.ts";
import { keepLogged } from "../../support/tools/logged.ts";

const { log } = keepLogged();

/** Less than what requests that run are waited for at a stop. */
const WITHIN_MS = 10_000;

/** Sends a request that is answered with the body once `answered` is resolved. */
async function askForAnswer(body: string | Buffer<ArrayBuffer>) {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const api = {
    async fetch() {
      asked.resolve();
      await answered.promise;
      return new Response(body);
    },
  };
  const { address, close } = await listen(api, { address: { host: "127.0.0.1", port: 0 }, tls: undefined, log });
  const socket = connect(address.port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  return { socket, asked, answered, close };
}

test(
  "a stop waits for the answer to a request, and not for its connection, which the client would keep",
  { timeout: WITHIN_MS },
  async () => {
    const { socket, asked, answered, close } = await askForAnswer("done");
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk.toString()));
    await asked.promise;

    const stopped = close();
    answered.resolve();
    await Promise.all([stopped, once(socket, "close")]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*done$/);
  },
);

/** More than the buffers of both ends hold. */
const BYTES = 16 * 1024 ** 2;

test.for(["begins before the stop", "begins in the stop"] as const)(
  "a stop cuts off no answer that %s and that its client takes slowly",
  { timeout: 3 * WITHIN_MS },
  async (when) => {
    const { socket, asked, answered, close } = await askForAnswer(Buffer.alloc(BYTES));
    const begun = Promise.withResolvers<void>();
    let received = 0;
    socket.on("data", (chunk) => {
      received += chunk.length;
      begun.resolve();
      socket.pause();
      setTimeout(() => socket.resume(), 5);
    });
    await asked.promise;
    if (when === "begins before the stop") {
      answered.resolve();
      await begun.promise;
    }
    const stopped = close();
    answered.resolve();
    await Promise.all([stopped, once(socket, "close")]);
    expect(received).toBeGreaterThan(BYTES);
  },
);
