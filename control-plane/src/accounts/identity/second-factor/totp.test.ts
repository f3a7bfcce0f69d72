import { expect, test } from "vitest";
import { acceptedStep, base32, totpCode, totpStep, totpUri } from "./totp.ts";

const secret = Buffer.from("12345678901234567890");

test.each([
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_234_567_890, "005924"],
  [20_000_000_000, "353130"],
])("the code at %d s is the one of RFC 6238, appendix B", (seconds, code) => {
  expect(totpCode(secret, totpStep(new Date(seconds * 1000)))).toBe(code);
});

test("a code is accepted one step early or late, and never after a newer or the same one", () => {
  const now = new Date(1_234_567_890_000);
  const step = totpStep(now);
  expect([-2, -1, 0, 1, 2].map((by) => acceptedStep(secret, totpCode(secret, step + by), now, 0))).toEqual([
    undefined,
    step - 1,
    step,
    step + 1,
    undefined,
  ]);
  expect(acceptedStep(secret, totpCode(secret, step), now, step)).toBeUndefined();
  expect(acceptedStep(secret, totpCode(secret, step), now, step + 1)).toBeUndefined();
  expect(acceptedStep(secret, "12345é", now, 0)).toBeUndefined();
});

test("a secret is written as authenticator apps read it", () => {
  expect(base32(Buffer.from("foobar"))).toBe("MZXW6YTBOI");
  expect(totpUri(secret, { issuer: "svc", account: "ada@example.com" })).toBe(
    "otpauth://totp/svc:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=svc",
  );
});
