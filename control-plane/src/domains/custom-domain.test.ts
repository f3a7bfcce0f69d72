import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SvcError } from "@svc/shared/errors.ts";
import { checkCustomDomain, domainProof } from "./custom-domain.ts";

const rules = {
  appsDomain: "apps.svc.test",
  baseHost: "api.svc.test",
  isPublicSuffix: (name: string) => name === "co.uk",
};
const codeOf = (domain: string): string => {
  try {
    checkCustomDomain(domain, rules);
    return "";
  } catch (error) {
    return error instanceof SvcError ? error.code : String(error);
  }
};

describe("a custom domain", () => {
  it.each(["example.com", "a.b-c.example.co.uk", "xn--bcher-kva.example", "1.example.com"])("%s is taken", (domain) => {
    expect(codeOf(domain)).toBe("");
  });

  const tooLong = Array.from({ length: 9 }, () => "a".repeat(30)).join(".");
  const bad = [
    "Example.com",
    "192.0.2.1",
    "::1",
    "localhost",
    "co.uk",
    "a..b",
    ".a.b",
    "a.b.",
    "-a.b",
    "a_b.c",
    "a b.c",
  ];
  it.each([...bad, "bücher.example", "*.example.com", "a.b/c", "https://a.b", `${"a".repeat(64)}.com`, tooLong, ""])(
    "%s is refused",
    (domain) => {
      expect(codeOf(domain)).toBe("invalid_request");
    },
  );

  it("given with a scheme or a path is asked for alone", () => {
    for (const url of ["https://a.b", "http://x", "a.b/c"]) {
      expect(() => checkCustomDomain(url, rules)).toThrow("give the name alone, such as shop.example.com");
    }
  });

  it.each(["apps.svc.test", "shop.apps.svc.test", "api.svc.test", "proxy.svc.internal"])(
    "%s is the platform's own",
    (domain) => {
      expect(codeOf(domain)).toBe("domain_reserved");
    },
  );

  it("is never anything but taken, invalid or reserved", () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.string({ unit: "binary" })), (domain) => {
        expect(["", "invalid_request", "domain_reserved"]).toContain(codeOf(domain));
      }),
    );
  });
});

describe("the proof of ownership", () => {
  const key = randomBytes(32);

  it("is the same for every retry, and another for another user or domain", () => {
    const proof = domainProof(key, "u1", "example.com");
    expect(domainProof(key, "u1", "example.com")).toEqual(proof);
    expect(proof.record).toBe("_svc-verify.example.com");
    expect(proof.value).toMatch(/^svc-verify=[A-Za-z0-9_-]{43}$/);
    expect(domainProof(key, "u2", "example.com").value).not.toBe(proof.value);
    expect(domainProof(key, "u1", "example.org").value).not.toBe(proof.value);
  });
});
