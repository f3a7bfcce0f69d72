import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGuardedFetch } from "@svc/shared/net/guarded-fetch.ts";
import { createDomainChecks } from "@svc/control-plane/domains/check-domains.ts";
import { startDnsDouble, type DnsDouble } from "../../support/doubles/dns-double.ts";
import { startTestApi, type TestApi } from "../../support/api/http.ts";
import { promise } from "../../support/promises/promise.ts";

type Caller = Awaited<ReturnType<TestApi["addCaller"]>>;

let dns: DnsDouble;
let test: TestApi;
let ada: Caller;
let bob: Caller;

beforeAll(async () => {
  dns = await startDnsDouble();
  const outbound = createGuardedFetch({ allowCidrs: [], caPem: "", dnsServers: [dns.address] });
  const domainChecks = createDomainChecks({ dnsServers: [dns.address], outbound, caPem: "", httpsPort: 443 });
  test = await startTestApi({ domainChecks });
  ada = await test.addCaller();
  bob = await test.addCaller();
});
afterAll(async () => {
  await test?.stop();
  await dns?.stop();
});

let apps = 0;
async function newApp(caller: Caller): Promise<string> {
  const name = `domains-${++apps}`;
  const { status } = await caller.call("POST", "/api/apps", { name, repo_url: "https://git.example.com/app.git" });
  expect(status).toBe(201);
  return name;
}

const add = (caller: Caller, app: string, domain: unknown) =>
  caller.call("POST", `/api/apps/${app}/domains`, { domain });

/** Publishes what the service asks for. */
async function publish(caller: Caller, app: string, domain: string): Promise<void> {
  const { status, json } = await add(caller, app, domain);
  expect(status).toBe(422);
  const { txt_record: record, txt_value: value } = json as { txt_record: string; txt_value: string };
  dns.names.set(record, { TXT: [["v=spf1 -all"], [value.slice(0, 20), value.slice(20)]] });
}

describe("adding a domain", () => {
  it("asks for a TXT record that is the same on every retry, and another for another user", async () => {
    promise(
      "domains",
      "a domain is refused with 422 until its TXT record is published, which the answer tells",
      "the TXT record of a user and a domain is always the same",
    );
    const app = await newApp(ada);
    const first = await add(ada, app, "shop.example.com");
    expect(first).toMatchObject({
      status: 422,
      json: {
        error: "domain_not_verified",
        detail: expect.stringContaining("no TXT record _svc-verify.shop.example.com yet"),
        txt_record: "_svc-verify.shop.example.com",
        txt_value: expect.stringMatching(/^svc-verify=[\w-]{43}$/),
      },
    });
    expect((await add(ada, app, "shop.example.com")).json).toEqual(first.json);
    const other = await add(bob, await newApp(bob), "shop.example.com");
    expect((other.json as { txt_value: string }).txt_value).not.toBe((first.json as { txt_value: string }).txt_value);
  });

  it("stores and routes it once the record is there, also when the record comes in several strings", async () => {
    promise("domains", "a domain that is added is answered with 201, as routed", "an app's domains are listed");
    const app = await newApp(ada);
    await publish(ada, app, "stored.example.com");
    expect(await add(ada, app, "stored.example.com")).toMatchObject({
      status: 201,
      json: { domain: "stored.example.com", status: "routed" },
    });
    expect((await ada.call("GET", `/api/apps/${app}/domains`)).json).toEqual({ domains: ["stored.example.com"] });
  });

  it("tells another value, and a name server that fails or is silent, from a record that is not there", async () => {
    const app = await newApp(ada);
    const detailOf = async (domain: string) => ((await add(ada, app, domain)).json as { detail: string }).detail;
    dns.names.set("_svc-verify.other.example.com", { TXT: [["svc-verify=wrong"]] });
    expect(await detailOf("other.example.com")).toContain("has another value");
    dns.names.set("_svc-verify.broken.example.com", "SERVFAIL");
    expect(await detailOf("broken.example.com")).toMatch(/could not be looked up .*ESERVFAIL/);
    dns.names.set("_svc-verify.silent.example.com", "silent");
    expect(await detailOf("silent.example.com")).toMatch(/could not be looked up .*ETIMEOUT/);
  });

  it.each(["Shop.example.com", "192.0.2.7", "localhost", "co.uk", "github.io", "", "a..b.com"])(
    "refuses %j",
    async (domain) => {
      promise("domains", "a domain is a lowercase hostname of two labels or more");
      expect(await add(ada, await newApp(ada), domain)).toMatchObject({
        status: 400,
        json: { error: "invalid_request" },
      });
    },
  );

  it.each(["apps.localhost", "x.apps.localhost"])("refuses the platform's own %s", async (domain) => {
    promise("domains", "a domain that is malformed or the platform's own is refused with 400");
    expect(await add(ada, await newApp(ada), domain)).toMatchObject({
      status: 400,
      json: { error: "domain_reserved" },
    });
  });

  it("is refused while another app has it, also at the same moment", async () => {
    promise("domains", "a domain belongs to one app on the platform; another one is refused it with 409");
    const [one, two] = [await newApp(ada), await newApp(bob)];
    await publish(ada, one, "race.example.com");
    const [mine] = (dns.names.get("_svc-verify.race.example.com") as { TXT: string[][] }).TXT.slice(1);
    await publish(bob, two, "race.example.com");
    (dns.names.get("_svc-verify.race.example.com") as { TXT: string[][] }).TXT.push(mine!);
    const answers = await Promise.all([add(ada, one, "race.example.com"), add(bob, two, "race.example.com")]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409]);
    const loser = answers.find((answer) => answer.status === 409)!;
    expect(loser.json).toMatchObject({ error: "domain_in_use" });
  });

  it("of another owner is refused while that one's proof is published, and comes to who proves it alone", async () => {
    const [one, two] = [await newApp(ada), await newApp(bob)];
    const domain = "moved.example.com";
    await publish(ada, one, domain);
    expect((await add(ada, one, domain)).status).toBe(201);
    const refused = await add(bob, two, domain);
    expect([refused.status, refused.json["error"]]).toEqual([409, "domain_in_use"]);
    const { txt_record: record, txt_value: value } = refused.json as { txt_record: string; txt_value: string };
    expect(refused.json["detail"]).toContain(`publish ${value} as the only value of the TXT record ${record}`);

    const former = (dns.names.get(record) as { TXT: string[][] }).TXT;
    dns.names.set(record, { TXT: [...former, [value]] });
    expect((await add(bob, two, domain)).status).toBe(409);
    dns.names.set(record, "SERVFAIL");
    expect((await add(bob, two, domain)).status).toBe(409);
    dns.names.set(record, { TXT: [[value]] });
    expect((await add(bob, two, domain)).status).toBe(201);
    expect((await ada.call("GET", `/api/apps/${one}/domains`)).json).toEqual({ domains: [] });
    expect((await bob.call("GET", `/api/apps/${two}/domains`)).json).toEqual({ domains: [domain] });
    expect((await add(ada, one, domain)).status).toBe(409);
    const { rows } = await test.database.query(
      "select actor, owner_id, detail from audit_log where action = 'domain.lost'",
    );
    expect(rows).toEqual([{ actor: "system", owner_id: ada.userId, detail: { app: one, domain } }]);
  });

  it("of one's own other app is refused with that app's name", async () => {
    const [one, two] = [await newApp(ada), await newApp(ada)];
    await publish(ada, one, "twice.example.com");
    expect((await add(ada, one, "twice.example.com")).status).toBe(201);
    expect((await add(ada, two, "twice.example.com")).json["detail"]).toContain(`your app ${one}: remove it there`);
    expect((await add(ada, one, "twice.example.com")).json["detail"]).toContain("this app already");
    const limited = await test.addCaller({ userId: ada.userId, apps: [two] });
    expect((await add(limited, two, "twice.example.com")).json["detail"]).toContain("another of your apps: remove it");
  });

  it("stops at ten per app, before it asks for ownership, also under concurrency", async () => {
    promise("domains", "an app has up to 10 domains; one more is refused with 400");
    const app = await newApp(ada);
    const names = Array.from({ length: 12 }, (_, i) => `n${i}.limit.example.com`);
    for (const name of names) await publish(ada, app, name);
    const answers = await Promise.all(names.map((name) => add(ada, app, name)));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(10);
    expect(answers.filter((answer) => answer.status === 400).map((answer) => answer.json)).toEqual(
      Array(2).fill(expect.objectContaining({ error: "domain_limit" })),
    );
    expect(await add(ada, app, "unverified.example.com")).toMatchObject({
      status: 400,
      json: { error: "domain_limit" },
    });
  });
});

describe("a domain", () => {
  it("is pending with the reason unchanged while nothing answers for it", async () => {
    promise("domains", "a domain's certificate is shown as active or pending");
    const app = await newApp(ada);
    await publish(ada, app, "pending.example.com");
    await add(ada, app, "pending.example.com");
    const { status, json } = await ada.call("GET", `/api/apps/${app}/domains/pending.example.com`);
    expect(status).toBe(200);
    expect(json).toEqual({
      domain: "pending.example.com",
      status: "pending",
      detail: expect.stringContaining("no address"),
      missing: [
        { part: "address_record", detail: expect.stringContaining("deploy it first") },
        { part: "certificate", detail: expect.stringContaining("as soon as") },
      ],
    });
  });

  it("that leads to an address that is not public is not connected to", async () => {
    const app = await newApp(ada);
    await publish(ada, app, "inside.example.com");
    await add(ada, app, "inside.example.com");
    dns.names.set("inside.example.com", { A: ["169.254.169.254"] });
    const { json } = await ada.call("GET", `/api/apps/${app}/domains/inside.example.com`);
    expect(json).toMatchObject({ status: "pending", detail: expect.stringContaining("only public addresses") });
  });

  it("can be removed once, and taken by another app then", async () => {
    promise(
      "domains",
      "a domain is removed with 204, and one that the app does not have with 404",
      "the state of a domain that the app does not have is answered with 404",
    );
    const app = await newApp(ada);
    await publish(ada, app, "moves.example.com");
    await add(ada, app, "moves.example.com");
    expect((await ada.call("DELETE", `/api/apps/${app}/domains/moves.example.com`)).status).toBe(204);
    expect((await ada.call("DELETE", `/api/apps/${app}/domains/moves.example.com`)).status).toBe(404);
    expect((await ada.call("GET", `/api/apps/${app}/domains/moves.example.com`)).status).toBe(404);
    expect((await add(ada, await newApp(ada), "moves.example.com")).status).toBe(201);
  });

  it("of another owner's app is not found", async () => {
    const app = await newApp(ada);
    for (const [method, path] of [
      ["GET", ""],
      ["GET", "/x.example.com"],
      ["DELETE", "/x.example.com"],
    ] as const) {
      expect((await bob.call(method, `/api/apps/${app}/domains${path}`)).status).toBe(404);
    }
  });
});
