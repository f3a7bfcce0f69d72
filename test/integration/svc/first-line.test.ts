import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../support/tools/eventually.ts";
import { makeSvcUser, type SvcUser } from "../../support/svc/svc.ts";
import { openSvcTerminal } from "../../support/svc/svc-terminal.ts";

/** A service that answers nothing until the user has seen something. */
let shown: () => string;
const server = createServer((_, res) => {
  void eventually(
    () => shown(),
    (text) => text.includes(`Asking ${url} for the app shop`),
    { what: "svc says what it waits for", deadlineMs: 30_000 },
  ).then(
    () => res.writeHead(401, { "Content-Type": "application/json" }).end('{"error":"unauthorized"}'),
    () => res.destroy(),
  );
});
let url: string;
let user: SvcUser;

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  user = await makeSvcUser({ SVC_URL: url, SVC_API_KEY: "svc_some-key" });
  await user.write({ "svc.yaml": "# spec: svc/v1\nname: shop\n" });
});
afterAll(async () => {
  await user?.remove();
  server.close();
});

test.each(["up", "deploy"])(
  "svc %s says what it waits for before the service has answered anything",
  async (command) => {
    let text = "";
    shown = () => text;
    const { status } = await user.svc([command], {
      onStart: (child) => child.stdout?.on("data", (data: Buffer) => (text += data.toString("utf8"))),
    });
    expect(status).toBe(3);

    const terminal = openSvcTerminal(user, [command], { SVC_URL: url, SVC_API_KEY: "svc_some-key" });
    shown = terminal.screen;
    expect(await terminal.ended).toBe(3);
  },
);
