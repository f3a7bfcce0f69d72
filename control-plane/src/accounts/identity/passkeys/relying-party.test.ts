import { expect, test } from "vitest";
import { noPasskeysAt, relyingPartyOf } from "./relying-party.ts";

test.each([
  ["https://svc.example.com", { id: "svc.example.com", origin: "https://svc.example.com" }],
  ["https://svc.example.com:8443/", { id: "svc.example.com", origin: "https://svc.example.com:8443" }],
  ["http://localhost:8080", { id: "localhost", origin: "http://localhost:8080" }],
  ["http://svc.localhost", { id: "svc.localhost", origin: "http://svc.localhost" }],
])("at %s passkeys are those of %j", (baseUrl, party) => expect(relyingPartyOf(baseUrl)).toEqual(party));

test.each([
  "http://127.0.0.1:8080",
  "https://192.0.2.1",
  "https://0x7f000001",
  "https://[::1]:8443",
  "https://[2001:db8::1]",
  "http://svc.example.com",
  "http://localhost.example.com",
])("at %s there are no passkeys, since browsers offer none", (baseUrl) => {
  expect(relyingPartyOf(baseUrl)).toBeUndefined();
});

test("the reason names the service's address and the operator's variable", () => {
  expect(noPasskeysAt("http://127.0.0.1:8080/x")).toMatch(/at http:\/\/127\.0\.0\.1:8080\. .*SVC_BASE_URL/);
});
