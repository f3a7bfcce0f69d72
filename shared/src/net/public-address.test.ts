import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forbiddenReason, isCidr } from "./public-address.ts";

const octet = fc.integer({ min: 0, max: 255 });
const ipv4 = fc.tuple(octet, octet, octet, octet);
const dotted = (bytes: readonly number[]): string => bytes.join(".");
const hex = (bytes: readonly number[]): string =>
  `${((bytes[0]! << 8) | bytes[1]!).toString(16)}:${((bytes[2]! << 8) | bytes[3]!).toString(16)}`;

describe("what outbound calls may reach", () => {
  it.each(["8.8.8.8", "1.1.1.1", "140.82.121.4", "2606:4700::1111", "2a00:1450:4001:81b::200e", "::ffff:8.8.8.8"])(
    "%s is public",
    (address) => expect(forbiddenReason(address, [])).toBeUndefined(),
  );

  const private4 = "0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255";
  const reserved4 = "192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 203.0.113.1 224.0.0.1 240.0.0.1";
  const private6 = ":: ::1 fe80::1 fe80::1%eth0 fc00::1 fd12:3456::1 ff02::1 fec0::1 2001:db8::1 100::1 5f00::1";
  const wrapped = "::127.0.0.1 ::ffff:127.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::10.0.0.1 64:ff9b:1::8.8.8.8 2002:7f00:1::";
  const otherForms = "localhost 127.1 0x7f000001 2130706433 1.2.3.4/32 [::1] 2001::1 3fff::1 4000::1 e000::1";
  it.each(["", " 8.8.8.8", ...[private4, reserved4, private6, wrapped, otherForms].flatMap((list) => list.split(" "))])(
    "%j is not",
    (address) => expect(forbiddenReason(address, [])).toMatch(/^is /),
  );

  it("treats an embedded IPv4 address as what it leads to", () => {
    fc.assert(
      fc.property(ipv4, (bytes) => {
        const plain = forbiddenReason(dotted(bytes), []);
        expect(forbiddenReason(`::ffff:${dotted(bytes)}`, [])).toBe(plain);
        expect(forbiddenReason(`64:ff9b::${hex(bytes)}`, [])).toBe(plain);
      }),
    );
  });

  it("never lets an IPv4 address pass as 6to4 or as IPv4-compatible", () => {
    fc.assert(
      fc.property(ipv4, (bytes) => {
        expect(forbiddenReason(`2002:${hex(bytes)}::1`, [])).toBeDefined();
        expect(forbiddenReason(`::${hex(bytes)}`, [])).toBeDefined();
      }),
    );
  });

  it("lets through exactly what the policy adds", () => {
    expect(forbiddenReason("127.0.0.1", ["127.0.0.0/8"])).toBeUndefined();
    expect(forbiddenReason("::ffff:127.0.0.1", ["127.0.0.0/8"])).toBeUndefined();
    expect(forbiddenReason("::1", ["127.0.0.0/8"])).toBe("is loopback");
    expect(forbiddenReason("10.0.0.1", ["10.0.0.2/32", "::/0"])).toBe("is private");
    fc.assert(fc.property(ipv4, (bytes) => forbiddenReason(dotted(bytes), ["0.0.0.0/0"]) === undefined));
  });
});

describe("ranges of the policy", () => {
  it.each(["10.0.0.0/8", "127.0.0.1/32", "fd00::/8", "::1/128", "0.0.0.0/0"])("%s is one", (text) =>
    expect(isCidr(text)).toBe(true),
  );
  it.each(["", "10.0.0.0", "10.0.0.0/33", "10/8", "::1/129", "a/8", "10.0.0.0/8/8", "10.0.0.0/-1", "10.0.0.0/"])(
    "%j is not",
    (text) => expect(isCidr(text)).toBe(false),
  );
});
