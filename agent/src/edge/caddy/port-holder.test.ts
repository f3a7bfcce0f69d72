import { createServer, type AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { findPortHolder, listeningInodes } from "./port-holder.ts";

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0
   1: 0100007F:1F90 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 20 4 30 10 -1
   2: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 100 0 0 10 0
`;

it("the kernel's table gives listening sockets, not connections", () => {
  expect(listeningInodes(TABLE, 8080)).toEqual(["4711"]);
  expect(listeningInodes(TABLE, 80)).toEqual(["4713"]);
  expect(listeningInodes(TABLE, 8)).toEqual([]);
});

it("names the process that listens", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  expect(await findPortHolder(port)).toContain(`(pid ${process.pid})`);
  await new Promise((resolve) => server.close(resolve));
  expect(await findPortHolder(port)).toBeUndefined();
});
