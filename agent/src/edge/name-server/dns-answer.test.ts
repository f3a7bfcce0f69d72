import * as dns from "dns-packet";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { containerDnsName, type Route } from "../routes.ts";
import { answerDnsQuery } from "./dns-answer.ts";

const FALLBACK_PORT = 20_001;
const serving: Route = { host: "a.test", appId: "1", containerId: "abc", upstream: "10.0.0.2:3000", state: "serving" };
const stopped: Route = { ...serving, host: "stopped.test", state: "stopped" };
const table = new Map([serving, stopped].map((route) => [route.host, route]));
const lookUp = (host: string): Route | undefined => table.get(host);

function ask(name: string, type: "SRV" | "A" | "AAAA" = "SRV", look = lookUp): dns.DecodedPacket {
  const packet = dns.encode({ type: "query", id: 7, flags: dns.RECURSION_DESIRED, questions: [{ type, name }] });
  const reply = answerDnsQuery(packet, look, FALLBACK_PORT);
  if (!reply) throw new Error("no answer");
  return dns.decode(reply);
}

const targetOf = (reply: dns.DecodedPacket): unknown => (reply.answers?.[0] as dns.SrvAnswer | undefined)?.data;

describe("an SRV query", () => {
  it("for a served host is answered with its container, whatever the case", () => {
    const data = { target: containerDnsName("abc", "10.0.0.2"), port: 3000 };
    expect(targetOf(ask("a.test.up.internal"))).toMatchObject(data);
    expect(targetOf(ask("A.Test.UP.internal"))).toMatchObject(data);
    expect(ask("a.test.up.internal")).toMatchObject({ id: 7, rcode: "NOERROR", flag_aa: true });
    expect(ask("a.test.up.internal").answers?.[0]).toMatchObject({ ttl: 0 });
  });

  it("for a host that several copies serve is answered with each of them, and without any with the fallback pages", () => {
    const copies = ["10.0.0.5", "10.0.0.6"].map((address, at) => ({ id: `copy${at}`, address }));
    const targets = (served: Route) =>
      ask("a.test.up.internal", "SRV", () => served).answers?.map((answer) => (answer as dns.SrvAnswer).data);
    expect(targets({ ...serving, copies })).toMatchObject(
      copies.map(({ id, address }) => ({ target: containerDnsName(id, address), port: 3000 })),
    );
    const fallback = { target: containerDnsName("", "127.0.0.1"), port: FALLBACK_PORT };
    expect(targets({ ...serving, copies: [] })).toMatchObject([fallback]);
  });

  it("for an unknown host or a stopped app leads to the fallback pages", () => {
    const data = { target: containerDnsName("", "127.0.0.1"), port: FALLBACK_PORT };
    for (const host of ["unknown.test", "stopped.test"]) {
      expect(targetOf(ask(`${host}.up.internal`))).toMatchObject(data);
    }
  });

  it("without a table is a server failure, which the proxy retries", () => {
    const broken = (): never => {
      throw new Error("no table");
    };
    expect(ask("a.test.up.internal", "SRV", broken)).toMatchObject({ rcode: "SERVFAIL", answers: [] });
  });
});

it("a container's name resolves to its address, and to no IPv6 address", () => {
  const name = containerDnsName("abc", "10.0.0.2");
  expect(ask(name, "A").answers).toMatchObject([{ type: "A", data: "10.0.0.2" }]);
  expect(ask(name, "AAAA")).toMatchObject({ rcode: "NOERROR", answers: [] });
});

it("names of other zones are refused", () => {
  expect(ask("example.com", "A")).toMatchObject({ rcode: "REFUSED", answers: [] });
});

it("a message that is no query is ignored, whatever its bytes", () => {
  const response = dns.encode({ type: "response", id: 1, questions: [{ type: "A", name: "a.up.internal" }] });
  expect(answerDnsQuery(response, lookUp, FALLBACK_PORT)).toBeUndefined();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      answerDnsQuery(Buffer.from(bytes), lookUp, FALLBACK_PORT);
    }),
  );
});

it("a real query with bytes changed never ends the name server", () => {
  const packet = dns.encode({ type: "query", id: 7, questions: [{ type: "SRV", name: "a.test.up.internal" }] });
  fc.assert(
    fc.property(fc.nat(packet.length - 1), fc.integer({ min: 0, max: 255 }), fc.nat(packet.length), (at, byte, end) => {
      const changed = Buffer.from(packet);
      changed[at] = byte;
      answerDnsQuery(changed, lookUp, FALLBACK_PORT);
      answerDnsQuery(changed.subarray(0, end), lookUp, FALLBACK_PORT);
    }),
  );
});
