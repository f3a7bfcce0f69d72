import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addressOfContainerDnsName,
  containerDnsName,
  dialTargetsOf,
  parseRoutes,
  parseUpstream,
  serializeRoutes,
  undeployedRoutes,
  upstreamOfDialAddress,
  upstreamsOf,
  withRoutesOfApp,
  type Route,
} from "./routes.ts";

const address = fc.ipV4();
const port = fc.integer({ min: 1, max: 65_535 });
const route: fc.Arbitrary<Route> = fc.record(
  {
    host: fc.domain().filter((host) => host.length < 100 && host === host.toLowerCase()),
    appId: fc.uuid(),
    containerId: fc.stringMatching(/^[0-9a-f]{64}$/),
    upstream: fc.tuple(address, port).map((parts) => parts.join(":")),
    state: fc.constantFrom("serving", "stopped"),
    ownerId: fc.uuid(),
    subdomain: fc.constant(true as const),
    pending: fc.constant(true as const),
  },
  { requiredKeys: ["host", "appId", "containerId", "upstream", "state"] },
);
const routes = fc.uniqueArray(route, { selector: ({ host }) => host, maxLength: 20 });

const example: Route = { host: "a.test", appId: "app", containerId: "c1", upstream: "10.0.0.2:80", state: "serving" };

describe("the table on disk", () => {
  it("is read as it was written", () => {
    fc.assert(
      fc.property(routes, (table) => {
        expect(parseRoutes(serializeRoutes(table))).toEqual(table);
      }),
    );
  });

  it("cut anywhere it is refused, never half read", () => {
    const text = serializeRoutes([example]).trimEnd();
    for (let end = 0; end < text.length; end++) expect(() => parseRoutes(text.slice(0, end))).toThrow(SyntaxError);
  });

  it("is refused with a route that can't be served, or one host twice", () => {
    const refused: [unknown[], RegExp][] = [
      [[{}], /no state/],
      [[null], /no state/],
      [[{ state: "serving" }], /no host/],
      [[{ ...example, host: "A" }], /host name/],
      [[{ ...example, upstream: "10.0.0.2" }], /upstream/],
      [[{ ...example, state: "on" }], /no state/],
      [[{ ...example, containerId: "" }], /container id/],
      [[{ ...example, state: "undeployed" }], /none while it is undeployed/],
      [[example, example], /twice/],
    ];
    for (const [table, message] of refused) {
      expect(() => parseRoutes(JSON.stringify({ routes: table }))).toThrow(message);
    }
    expect(() => parseRoutes("[]")).toThrow(/no list of routes/);
  });
});

describe("replacing an app's routes", () => {
  it("touches no route of another app", () => {
    fc.assert(
      fc.property(routes, route, (table, added) => {
        const others = table.filter(({ host, appId }) => host !== added.host && appId !== added.appId);
        const after = withRoutesOfApp(others, added.appId, [added]);
        expect(after).toEqual([...others, added]);
        expect(withRoutesOfApp(after, added.appId, [])).toEqual(others);
      }),
    );
  });

  it("refuses another app's host", () => {
    expect(() => withRoutesOfApp([example], "other", [{ ...example, appId: "other" }])).toThrow(/another app/);
    const hosts = [{ host: example.host }];
    expect(() => withRoutesOfApp([example], "other", undeployedRoutes({ appId: "other" }, hosts))).toThrow(
      /another app/,
    );
  });

  it("takes a host over from an app that was never deployed", () => {
    const hosts = ["a.test", "b.test"].map((host) => ({ host }));
    const table = undeployedRoutes({ appId: "gone", ownerId: "owner" }, hosts);
    expect(parseRoutes(serializeRoutes(table))).toEqual(table);
    expect(withRoutesOfApp(table, "app", [example])).toEqual([table[1], example]);
  });
});

describe("the names that the proxy dials", () => {
  it("hold the upstream, so that they resolve after the route is gone", () => {
    fc.assert(
      fc.property(route, (each) => {
        const [target] = dialTargetsOf(each);
        const dialled = `${target!.name}:${target!.port}`;
        expect(upstreamOfDialAddress(dialled)).toBe(each.upstream);
        expect(upstreamOfDialAddress(`tcp/${dialled.replace(":", ".:")}`)).toBe(each.upstream);
        const [ip] = each.upstream.split(":");
        expect(addressOfContainerDnsName(containerDnsName(each.containerId, ip!))).toBe(ip);
      }),
    );
  });

  it("are one for each copy of a container, and none is for the container itself", () => {
    const copies = [
      { id: "one", address: "10.0.0.3" },
      { id: "two", address: "10.0.0.4" },
    ];
    const spread = { ...example, upstream: "10.0.0.3:3000", copies };
    const dialled = copies.map(({ id, address }) => ({ name: containerDnsName(id, address), port: 3000 }));
    expect(dialTargetsOf(spread)).toEqual(dialled);
    expect(upstreamsOf(spread)).toEqual(["10.0.0.3:3000", "10.0.0.4:3000"]);
    expect(parseRoutes(serializeRoutes([spread]))).toEqual([spread]);
  });

  it("differ for two containers that have had the same address", () => {
    expect(containerDnsName("aaaa", "10.0.0.2")).not.toBe(containerDnsName("bbbb", "10.0.0.2"));
  });
});

it.each(["", "10.0.0.2", "10.0.0.2:0", "10.0.0.2:65536", "10.0.0.256:80", "host:80", "::1:80", "10.0.0.2:80 "])(
  "%j is no upstream",
  (upstream) => expect(parseUpstream(upstream)).toBeUndefined(),
);
