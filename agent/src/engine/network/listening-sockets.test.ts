import { expect, test } from "vitest";
import { parseSocketTable } from "./listening-sockets.ts";

const TCP = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0B00007F:A3D1 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   1: 00000000:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 2 1 0 100 0 0 10 0
   2: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 3 1 0 100 0 0 10 0
   3: 1000D20A:0BB8 0100D20A:C350 01 00000000:00000000 00:00000000 00000000     0        0 4 1 0 20 4 30 10 -1
`;
const TCP6 = `  sl  local_address                         remote_address                        st
   0: 00000000000000000000000000000000:0BB8 00000000000000000000000000000000:0000 0A 0 0 0 0 0
   1: 00000000000000000000000001000000:1F91 00000000000000000000000000000000:0000 0A 0 0 0 0 0
   2: 0000000000000000FFFF00000100007F:1F92 00000000000000000000000000000000:0000 0A 0 0 0 0 0
`;

test("listening sockets are told from connections, the engine's name server and loopback", () => {
  expect(parseSocketTable(TCP)).toEqual([
    { port: 3000, loopback: false },
    { port: 8080, loopback: true },
  ]);
});

test("IPv6, and IPv4 in its clothes, are understood", () => {
  expect(parseSocketTable(TCP6)).toEqual([
    { port: 3000, loopback: false },
    { port: 8081, loopback: true },
    { port: 8082, loopback: true },
  ]);
});

test("a missing table gives no sockets", () => {
  expect(parseSocketTable("")).toEqual([]);
});
