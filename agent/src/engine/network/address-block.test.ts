import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  defaultRouteInterface,
  engineRangeOf,
  formatAddress,
  formatCidr,
  gatewayOf,
  lowestFreeAddress,
  lowestFreeSubnet,
  overlaps,
  parseAddress,
  parseCidr,
  parseRouteTable,
} from "./address-block.ts";
import type { Cidr } from "./address-block.ts";

const block: Cidr = { first: 0x0ad20000, prefix: 16 };
const address = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const cidr = fc
  .record({ address, prefix: fc.integer({ min: 0, max: 32 }) })
  .map(({ address, prefix }) => parseCidr(`${formatAddress(address)}/${prefix}`)!);
/** Mostly inside the block, so that they matter. */
const nearby = fc.oneof(
  cidr,
  fc
    .record({ offset: fc.integer({ min: 0, max: 65_535 }), prefix: fc.integer({ min: 17, max: 30 }) })
    .map(({ offset, prefix }) => parseCidr(`${formatAddress(block.first + offset)}/${prefix}`)!),
);

describe("notation", () => {
  test("an address survives formatting and parsing", () => {
    fc.assert(fc.property(address, (value) => parseAddress(formatAddress(value)) === value));
  });

  test("bits below the prefix are cleared", () => {
    expect(formatCidr(parseCidr("10.210.3.77/26")!)).toBe("10.210.3.64/26");
  });

  test.each(["", "10.0.0.0", "10.0.0.0/33", "10.0.0/8", "256.0.0.0/8", "::/0", "10.0.0.0/", "10.0.0.0/-1"])(
    "%j is not a range",
    (text) => expect(parseCidr(text)).toBeUndefined(),
  );
});

describe("the next subnet", () => {
  test("lies in the block and overlaps nothing that is taken", () => {
    fc.assert(
      fc.property(fc.array(nearby), (taken) => {
        const subnet = lowestFreeSubnet(block, taken);
        if (subnet === undefined) return;
        expect(overlaps(subnet, block)).toBe(true);
        expect(subnet.first % 64).toBe(0);
        expect(taken.some((other) => overlaps(subnet, other))).toBe(false);
      }),
    );
  });

  test("is missing only when every subnet of the block is covered", () => {
    fc.assert(
      fc.property(fc.array(nearby), (taken) => {
        if (lowestFreeSubnet(block, taken) !== undefined) return;
        for (let first = block.first; first < block.first + 65_536; first += 64) {
          expect(taken.some((other) => overlaps({ first, prefix: 26 }, other))).toBe(true);
        }
      }),
    );
  });

  test("fills a block from its lowest to its last", () => {
    const small = parseCidr("10.9.8.0/24")!;
    const taken: Cidr[] = [];
    for (;;) {
      const subnet = lowestFreeSubnet(small, taken);
      if (subnet === undefined) break;
      taken.push(subnet);
    }
    expect(taken.map(formatCidr)).toEqual(["10.9.8.0/26", "10.9.8.64/26", "10.9.8.128/26", "10.9.8.192/26"]);
  });
});

describe("a container's address", () => {
  const subnet = parseCidr("10.210.0.64/26")!;

  test("starts above what the engine may choose", () => {
    expect(gatewayOf(subnet)).toBe("10.210.0.65");
    expect(formatCidr(engineRangeOf(subnet))).toBe("10.210.0.64/28");
    expect(lowestFreeAddress(subnet, new Set())).toBe("10.210.0.80");
  });

  test("is the lowest that is free, never the broadcast address", () => {
    const taken = new Set<string>();
    for (;;) {
      const next = lowestFreeAddress(subnet, taken);
      if (next === undefined) break;
      taken.add(next);
    }
    expect(taken.size).toBe(47);
    expect([...taken].at(-1)).toBe("10.210.0.126");
    taken.delete("10.210.0.90");
    expect(lowestFreeAddress(subnet, taken)).toBe("10.210.0.90");
  });
});

describe("the kernel's routes", () => {
  const table = [
    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT",
    "wlan0\t00000000\t010200C0\t0003\t0\t0\t600\t00000000\t0\t0\t0",
    "eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0",
    "docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0",
    "tun0\t4000D20A\t00000000\t0001\t0\t0\t0\tC0FFFFFF\t0\t0\t0",
    "tun0\t050307CB\t00000000\t0001\t0\t0\t0\tFFFFFFFF\t0\t0\t0",
    "",
  ].join("\n");

  test("are read without the default routes", () => {
    expect(parseRouteTable(table).map(formatCidr)).toEqual(["172.17.0.0/16", "10.210.0.64/26", "203.7.3.5/32"]);
  });

  test("name the uplink, the default route with the lowest metric", () => {
    expect(defaultRouteInterface(table)).toBe("eth0");
    expect(defaultRouteInterface("Iface\n")).toBeUndefined();
  });
});
