import { expect, test } from "vitest";
import { networkBytes } from "./container-usage.ts";

const NET_DEV = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:  999999     100    0    0    0     0          0         0   999999     100    0    0    0     0       0          0
  eth0:    1500      10    0    0    0     0          0         0     2500      20    0    0    0     0       0          0
  eth1:12345678      10    0    0    0     0          0         0        1      20    0    0    0     0       0          0
`;

test("bytes of all networks of a container count, those that it sends to itself do not", () => {
  expect(networkBytes(NET_DEV)).toEqual({ networkBytesIn: 1500 + 12345678, networkBytesOut: 2501 });
});

test("a process that has ended has no bytes", () => {
  expect(networkBytes("")).toEqual({ networkBytesIn: 0, networkBytesOut: 0 });
});
