import { expect, test } from "vitest";
import { fieldOf, Refusal, refusalOf } from "./refusal.ts";

test("a refusal is shown as the API's own sentence", () => {
  const refusal = refusalOf(410, { error: "link_invalid", detail: "This link was used already." });
  expect([refusal.code, refusal.message]).toEqual(["link_invalid", "This link was used already."]);
});

test("a fault of the service is shown with the id that finds it in the log", () => {
  expect(refusalOf(500, { error: "internal", request_id: "r-1" }).message).toContain("request r-1");
  for (const body of [undefined, null, "", [], "<html>", { error: 1, detail: {} }]) {
    expect([refusalOf(502, body).code, refusalOf(502, body).message]).toEqual([
      "internal",
      expect.stringContaining("status 502"),
    ]);
  }
});

test.for([
  ["invalid_request", "The property name: enter a name.", ["name", "password"], "name"],
  ["invalid_request", "The property token: it is not the token of a link.", ["name", "password"], undefined],
  ["invalid_request", "The password has 3 characters: use 12 to 128.", ["password"], "password"],
  ["invalid_request", "The password has 3 characters: use 12 to 128.", ["password", "new_password"], "new_password"],
  ["credentials_invalid", "The e-mail address or the password is wrong.", ["password", "new_password"], "password"],
  ["credentials_invalid", "The password is wrong.", ["password", "code"], "password"],
  ["credentials_invalid", "The code is wrong, or was used already.", ["password", "code"], "code"],
  ["invalid_request", "ada is no e-mail address.", ["email", "role"], "email"],
  ["rate_limited", "Too many attempts.", ["email", "password"], undefined],
] as const)("the refusal %s, %s is put beside the field it is about", ([code, sentence, fields, field]) => {
  expect(fieldOf(new Refusal(code, sentence), fields)).toBe(field);
});
