import { expect, test } from "vitest";
import { creationOptions, isCounterAhead, requestOptions, requireRoomForPasskey, userHandleOf } from "./passkey.ts";

const party = { id: "svc.example.com", origin: "https://svc.example.com" };
const challenge = Buffer.alloc(32, 1);
const ada = { id: "0191e5a6-1111-7222-8333-444455556666", email: "ada@example.com", name: "Ada" };

test.each([
  [0, 0, true],
  [0, 1, true],
  [1, 2, true],
  [1, 4_294_967_295, true],
  [1, 1, false],
  [2, 1, false],
  [1, 0, false],
])("after the count %i, the count %i is newer: %s", (stored, given, isAhead) => {
  expect(isCounterAhead(stored, given)).toBe(isAhead);
});

test("a new passkey must verify its person, be found without a name, and not be a second one of its authenticator", () => {
  const known = [{ credentialId: Buffer.from([251, 255]), transports: ["internal"] }];
  expect(creationOptions(party, ada, challenge, known)).toMatchObject({
    rp: { id: "svc.example.com" },
    user: { id: userHandleOf(ada.id), name: "ada@example.com", displayName: "Ada" },
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    attestation: "none",
    excludeCredentials: [{ type: "public-key", id: "-_8", transports: ["internal"] }],
  });
});

test("a sign-in names no passkey, and demands that its person is verified", () => {
  const options = requestOptions(party, challenge);
  expect(options).toMatchObject({ rpId: "svc.example.com", userVerification: "required" });
  expect(options).not.toHaveProperty("allowCredentials");
});

test("authenticators are given the person's id and nothing that says who they are", () => {
  expect(Buffer.from(userHandleOf(ada.id), "base64url").toString("hex")).toBe("0191e5a6111172228333444455556666");
});

test("a person has at most 20 passkeys", () => {
  expect(() => requireRoomForPasskey(19)).not.toThrow();
  expect(() => requireRoomForPasskey(20)).toThrow("You have 20 passkeys, and nobody may have more.");
});
