import { afterAll, beforeAll, expect, test } from "vitest";
import { startDnsDouble, type DnsDouble } from "../support/doubles/dns-double.ts";
import { startPlatform, type Platform } from "../support/platform/platform.ts";

let dns: DnsDouble;
let platform: Platform;

beforeAll(async () => {
  dns = await startDnsDouble();
  platform = await startPlatform({ controlPlane: { SVC_DNS_SERVERS: dns.address } });
});
afterAll(async () => {
  await platform?.stop();
  await dns?.stop();
});

async function failureOf(app: string, host: string): Promise<string | undefined> {
  await platform.api("POST", "/api/apps", { name: app, repo_url: `https://${host}/team/${app}.git` });
  return (await platform.deploy(app)).deploy.error;
}

test("an agent asks the platform's name servers where a repository is, and no others", async () => {
  dns.names.set("git.example.test", { A: ["10.11.12.13"] });
  expect(await failureOf("private", "git.example.test")).toContain(
    "The repository's host git.example.test leads to an address which",
  );
  expect(await failureOf("unknown", "other.example.test")).toContain(
    "There is no address for the repository's host other.example.test: check the spelling",
  );
  dns.names.set("broken.example.test", "SERVFAIL");
  expect(await failureOf("broken", "broken.example.test")).toContain("could not be looked up; try again later");
});
