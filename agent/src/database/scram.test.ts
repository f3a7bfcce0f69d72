import { expect, test } from "vitest";
import { scramVerifier } from "./scram.ts";

test("the verifier is the one of RFC 7677's example", () => {
  // Its user is "user" and its password "pencil"; the signatures there follow from these two keys.
  const salt = Buffer.from("W22ZaJ0SNY7soEsUEjb6gQ==", "base64");
  expect(scramVerifier("pencil", salt)).toBe(
    "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$" +
      "WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=",
  );
});

test("two verifiers of one password share nothing but their form", () => {
  const first = scramVerifier("0123456789abcdef");
  expect(first).toMatch(/^SCRAM-SHA-256\$4096:[\w+/=]+\$[\w+/]{43}=:[\w+/]{43}=$/);
  expect(scramVerifier("0123456789abcdef")).not.toBe(first);
});
