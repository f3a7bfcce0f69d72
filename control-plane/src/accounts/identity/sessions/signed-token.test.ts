import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readSignedToken } from "./signed-token.ts";

const SECRET = "of this installation";
const macOf = (token: string, secret = SECRET) => createHmac("sha256", secret).update(token).digest("base64");
const signed = (token: string, mac = macOf(token)) => encodeURIComponent(`${token}.${mac}`);

test("a token is read from the cookie that the secret has signed, and from no other", () => {
  fc.assert(
    fc.property(fc.base64String({ minLength: 1 }), fc.base64String(), (token, other) => {
      expect(readSignedToken(signed(token), SECRET)).toBe(token);
      if (other !== token) expect(readSignedToken(signed(other, macOf(token)), SECRET)).toBeUndefined();
      expect(readSignedToken(signed(token, macOf(token, `${SECRET}.`)), SECRET)).toBeUndefined();
    }),
  );
});

test("any text that is no signed token is refused, and no fault", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (value) => readSignedToken(value, SECRET) === undefined));
  for (const value of ["", ".", "%", "%E0%A4%A", signed(""), `${signed("a")}=`, signed("a").slice(0, -3)]) {
    expect([value, readSignedToken(value, SECRET)]).toEqual([value, undefined]);
  }
});
