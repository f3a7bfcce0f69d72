import { mkdtemp, rm } from "node:fs/promises";
import { createPublicKey } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import forge from "node-forge";
import { afterAll, describe, expect, test } from "vitest";
import { backoffMs } from "../platform/backoff.ts";
import { createIdentity, loadIdentity } from "./identity.ts";
import { authorityFingerprint } from "./join-token.ts";
import { renewalTime } from "./renew.ts";
import { createSigningRequest, generateKey } from "./signing-request.ts";

const directory = await mkdtemp(join(tmpdir(), "svc-identity-"));
afterAll(() => rm(directory, { recursive: true }));

test("the wait after failures grows from half a second to half a minute and is never the same for all", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
      const wait = backoffMs(failures, undefined, random);
      expect(wait).toBeGreaterThanOrEqual(250);
      expect(wait).toBeLessThanOrEqual(30_000);
      expect(wait).toBeLessThanOrEqual(500 * 2 ** Math.min(failures - 1, 10));
    }),
  );
  expect(backoffMs(1, undefined, 1)).toBe(500);
  expect(backoffMs(20, undefined, 0)).toBe(15_000);
  expect(backoffMs(20, 2_000, 1)).toBe(2_000);
});

test("a certificate is renewed when two thirds of its life are over", () => {
  const life = { notBefore: new Date("2026-01-01T00:00:00Z"), notAfter: new Date("2026-01-31T00:00:00Z") };
  expect(renewalTime(life)).toEqual(new Date("2026-01-21T00:00:00Z"));
});

describe("a join token", () => {
  const fingerprint = "0123456789abcdef".repeat(4);
  test("names the fleet's authority", () => {
    expect(authorityFingerprint(`svcjoin_${"A".repeat(43)}.${fingerprint}\n`)).toBe(fingerprint);
  });
  test.each(["", "svcjoin_short", `svcjoin_${"A".repeat(43)}`, `svcjoin_${"A".repeat(43)}.${fingerprint}00`])(
    "%j is refused with what to do",
    (token) => {
      expect(() => authorityFingerprint(token)).toThrow(/npm run admin -- server token/);
    },
  );
});

test("a signing request carries the key's public half and proves the private one", async () => {
  const keyPem = await generateKey();
  const request = forge.pki.certificationRequestFromPem(await createSigningRequest(keyPem));
  expect(request.verify()).toBe(true);
  const publicKey = createPublicKey(forge.pki.publicKeyToPem(request.publicKey as forge.pki.rsa.PublicKey));
  expect(publicKey.equals(createPublicKey(keyPem))).toBe(true);
});

describe("an identity", () => {
  test("that was never saved is not there", async () => {
    expect(await loadIdentity(directory)).toBeUndefined();
  });
  test("that can't be read says what to do", () => {
    const parts = { serverId: "x", serverName: "s", keyPem: "", certificatePem: "", authorityPem: "" };
    expect(() => createIdentity(parts)).toThrow(/join again with an empty data directory and a new token/);
  });
});
