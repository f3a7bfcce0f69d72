import fc from "fast-check";
import { expect, test } from "vitest";
import { isAppName } from "@svc/shared/rules/app-name.ts";
import { checkAppName, RESERVED_NAMES } from "./app-name.ts";

const HOSTS = { appsDomain: "apps.example.com", domainRules: { baseHost: "svc.example.com" } };

test("every RFC 1123 label is a name", () => {
  const inner = fc.stringMatching(/^[a-z0-9-]{0,61}$/);
  const end = fc.stringMatching(/^[a-z0-9]$/);
  fc.assert(fc.property(end, inner, end, (a, middle, z) => isAppName(a + middle + z) && isAppName(a)));
});

test("no other name is an app's", () => {
  for (const name of ["", "-a", "a-", "A", "a.b", "a_b", "ä", "a\n", "a".repeat(64), " a"]) {
    expect(() => checkAppName(name, HOSTS)).toThrow(/can't be a subdomain/);
  }
  fc.assert(fc.property(fc.string(), (name) => !isAppName(name) || /^[a-z0-9-]{1,63}$/.test(name)));
});

test("names that stand for the platform are refused", () => {
  for (const name of RESERVED_NAMES) expect(() => checkAppName(name, HOSTS)).toThrow(/reserved/);
  for (const name of ["www", "api", "admin", "dashboard", "mail"]) expect(RESERVED_NAMES).toContain(name);
});

test("no app gets the host name of the service itself, which cookies of people are for", () => {
  for (const baseHost of ["deploy.apps.example.com", "a.deploy.apps.example.com"]) {
    const hosts = { ...HOSTS, domainRules: { baseHost } };
    expect(() => checkAppName("deploy", hosts)).toThrow(/reserved for the platform/);
    expect(() => checkAppName("eploy", hosts)).not.toThrow();
  }
});
