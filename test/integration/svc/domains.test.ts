import type { ChildProcess } from "node:child_process";
import type { DomainChecks } from "@svc/control-plane/ports.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { eventually } from "../../support/tools/eventually.ts";
import type { SvcOutcome } from "../../support/svc/svc.ts";
import { startSvcWorld, type SvcWorld } from "../../support/svc/svc-world.ts";

/** The state of the domain as it is seen: the test publishes and serves it. */
let seen: { txt: string[]; isServed: boolean };
const checks: DomainChecks = {
  txt: async () => ({ values: seen.txt }),
  address: async () => ({ leadsHere: seen.isServed, detail: "There is no address record yet.", trouble: false }),
  handshake: async (domain) =>
    seen.isServed
      ? { cert: { issuer: "R11", notAfter: new Date("2027-02-19T08:00:00Z"), dnsNames: [domain] } }
      : { error: "no address" },
};

let world: SvcWorld;
let count = 0;
let domain: string;

beforeAll(async () => {
  world = await startSvcWorld({ domainChecks: checks });
  await world.caller.call("POST", "/api/apps", { name: "shop", repo_url: "https://github.com/you/shop" });
});
afterAll(() => world?.stop());
beforeEach(() => {
  seen = { txt: [], isServed: false };
  domain = `shop-${(count += 1)}.example.com`;
});

/** The command, and what it has written so far. */
function adding(...options: string[]): {
  ended: Promise<SvcOutcome>;
  child(): ChildProcess;
  says(text: string): Promise<string>;
} {
  let shown = "";
  let child: ChildProcess | undefined;
  const ended = world.user.svc(["domains", "add", domain, "--app", "shop", ...options], {
    onStart(started) {
      child = started;
      started.stdout?.on("data", (data: Buffer) => (shown += data.toString("utf8")));
    },
  });
  return {
    ended,
    child: () => child!,
    says: (text) =>
      eventually(
        () => shown,
        (all) => all.includes(text),
        { what: text, deadlineMs: 30_000 },
      ),
  };
}

const publish = (text: string): void => void (seen.txt = [/svc-verify=[\w-]+/.exec(text)![0]]);

test("add shows both records, then each state, and ends when the domain is served", async () => {
  const { ended, says } = adding();
  const first = await says("Ctrl-C leaves.");
  expect(first).toContain(`${domain} needs at its name servers:`);
  expect(first).toMatch(new RegExp(String.raw`_svc-verify\.${domain} +TXT +"svc-verify=[\w-]+"\n`));
  expect(first).toMatch(new RegExp(String.raw`\n {2}${domain} +CNAME +shop\.apps\.localhost\n`));
  expect(first).toContain("A and AAAA records with the addresses of shop.apps.localhost");
  publish(first);
  const second = await says(`${domain} is attached to shop.`);
  seen.isServed = true;
  const { status, stdout, stderr } = await ended;
  expect([status, stderr]).toEqual([0, ""]);
  expect(second.match(/CNAME  /g)).toHaveLength(1);
  expect(stdout.trimEnd().split("\n").at(-1)).toBe(
    `https://${domain} leads to shop. It is served with its certificate by R11 until 2027-02-19T08:00:00.000Z.`,
  );
});

test("with --json add prints an object for each state, the records among it", async () => {
  const { ended, says } = adding("--json");
  publish(await says("unproven"));
  seen.isServed = true;
  const { status, events } = await ended;
  expect(status).toBe(0);
  expect(events).toEqual([
    {
      domain,
      app: "shop",
      stage: "unproven",
      detail: expect.stringContaining("no TXT record"),
      records: [
        { type: "TXT", name: `_svc-verify.${domain}`, value: seen.txt[0] },
        { type: "CNAME", name: domain, value: "shop.apps.localhost" },
      ],
    },
    { domain, app: "shop", stage: "active", detail: expect.stringContaining("R11") },
  ]);
});

test("Ctrl-C leaves what is attached as it is, says how to look, and the same command goes on", async () => {
  const { ended, says, child } = adding();
  publish(await says("Ctrl-C leaves."));
  await says(`${domain} is attached to shop.`);
  child().kill("SIGINT");
  const left = await ended;
  expect(left.status).toBe(130);
  expect(left.stderr).toBe(`${domain} stays attached to shop: \`svc domains check ${domain}\` shows how far it is.\n`);
  expect((await world.caller.call("GET", "/api/apps/shop/domains")).json["domains"]).toContain(domain);
  seen.isServed = true;
  expect(await adding().ended).toMatchObject({ status: 0, stdout: expect.stringContaining("leads to shop") });
});

test("Ctrl-C before the domain is proven says that it is not attached", async () => {
  const { ended, says, child } = adding();
  await says("Ctrl-C leaves.");
  child().kill("SIGINT");
  expect(await ended).toMatchObject({ status: 130, stderr: expect.stringContaining("is not attached yet") });
});

test("with --detach add looks once: 1 while the domain is not proven, 0 once it is attached", async () => {
  const unproven = await adding("--detach").ended;
  expect([unproven.status, unproven.stdout]).toEqual([1, expect.stringContaining("Then run the same command again.")]);
  publish(unproven.stdout);
  const attached = await adding("--detach").ended;
  expect([attached.status, attached.stdout]).toEqual([0, expect.stringContaining(`svc domains check ${domain}`)]);
});
