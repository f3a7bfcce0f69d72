import { expect, test } from "vitest";
import { certificateTerm, DOMAIN_SOON_MS } from "./certificate-term.ts";

test.for([
  ["2026-01-01T15:00:00Z", "good"],
  ["2026-01-01T14:59:59Z", "soon"],
  ["2026-01-01T12:00:00Z", "ended"],
] as const)("a certificate that is good until %s is called %s at noon", ([until, term]) => {
  expect(certificateTerm(until, new Date("2026-01-01T12:00:00Z"), DOMAIN_SOON_MS)).toBe(term);
});
