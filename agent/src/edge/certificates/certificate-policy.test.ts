import { generateKeyPairSync } from "node:crypto";
import { rootCertificates } from "node:tls";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  authorityFolder,
  INTERNAL_ONLY,
  internalPatterns,
  isInternal,
  parsePolicy,
  requireCertificatePolicy,
  serializePolicy,
  type CertificatePolicy,
} from "./certificate-policy.ts";

const acme = { directory: "https://ca.example.com/acme/dir", caPem: "", email: "ops@example.com" };
const policy: CertificatePolicy = { acme, internalDomains: ["localhost", "home.arpa"], own: undefined };

describe("internal names", () => {
  it.each(["localhost", "shop.localhost", "a.b.c.localhost", "x.home.arpa", "proxy.svc.internal"])(
    "%s is one",
    (host) => expect(isInternal(host, policy)).toBe(true),
  );
  it.each(["notlocalhost", "localhost.example.com", "arpa"])("%s is none", (host) =>
    expect(isInternal(host, policy)).toBe(false),
  );
  it("are all of them while no authority is set", () => expect(isInternal("a.com", INTERNAL_ONLY)).toBe(true));

  it("are those that the proxy's patterns match, up to ten labels in front", () => {
    // Matches as certmagic does: the labels from the left become `*`, one after the other.
    const matches = (host: string, pattern: string): boolean => {
      const labels = host.split(".");
      return labels.reduce((found, _, i) => {
        labels[i] = "*";
        return found || labels.join(".") === pattern;
      }, host === pattern);
    };
    const patterns = internalPatterns(policy);
    const label = fc.stringMatching(/^[a-z]{1,3}$/);
    const host = fc
      .tuple(fc.array(label, { maxLength: 10 }), fc.constantFrom("localhost", "home.arpa", "arpa", "com"))
      .map(([labels, end]) => [...labels, end].join("."));
    fc.assert(
      fc.property(host, (name) => {
        expect(patterns.some((pattern) => matches(name, pattern))).toBe(isInternal(name, policy));
      }),
    );
  });
});

it.each([
  ["https://acme-v02.api.letsencrypt.org/directory", "acme-v02.api.letsencrypt.org-directory"],
  ["https://127.0.0.1:14000/dir", "127.0.0.1-14000-dir"],
  ["https://ca.example.com/acme/acme/directory", "ca.example.com-acme-acme-directory"],
  ["https://ca.example.com", "ca.example.com"],
])("the certificates of %s are in %s", (directory, folder) => expect(authorityFolder(directory)).toBe(folder));

describe("a policy", () => {
  it("survives being written and read", () => {
    for (const each of [policy, INTERNAL_ONLY, { ...policy, acme: { ...acme, caPem: rootCertificates[0]! } }]) {
      expect(parsePolicy(serializePolicy(each))).toEqual(each);
    }
  });

  const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" });
  it.each<[string, Partial<CertificatePolicy>, RegExp]>([
    ["a directory in clear text", { acme: { ...acme, directory: "http://ca.example.com" } }, /no https address/],
    ["an authority that is none", { acme: { ...acme, caPem: "nonsense" } }, /can't be read/],
    ["an address that is none", { acme: { ...acme, email: "a b" } }, /e-mail/],
    ["a domain that is none", { internalDomains: ["*.x"] }, /internal domains/],
    ["a certificate that is none", { own: { certificatePem: "x", keyPem: "y" } }, /certificate can't be read/],
    ["a key that is none", { own: { certificatePem: rootCertificates[0]!, keyPem: "y" } }, /key can't be read/],
    ["another's key", { own: { certificatePem: rootCertificates[0]!, keyPem: String(key) } }, /not that of the/],
  ])("with %s is refused, and no key is repeated", (_, change, message) => {
    expect(() => requireCertificatePolicy({ ...policy, ...change })).toThrow(message);
  });
});
