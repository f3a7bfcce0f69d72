import { expect, test } from "vitest";
import { isChallenge, provesChallenge } from "./code-challenge.ts";

/** The example of RFC 7636, appendix B. */
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

test("a challenge is proven by its verifier and by nothing else", () => {
  expect(isChallenge(CHALLENGE)).toBe(true);
  expect(provesChallenge(CHALLENGE, VERIFIER)).toBe(true);
  for (const other of [CHALLENGE, "", VERIFIER.slice(1), `${VERIFIER}A`, VERIFIER.toLowerCase()]) {
    expect(provesChallenge(CHALLENGE, other)).toBe(false);
  }
  // The method `plain` would take the challenge itself.
  expect(provesChallenge(VERIFIER, VERIFIER)).toBe(false);
});
