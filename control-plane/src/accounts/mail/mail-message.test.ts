import { expect, test } from "vitest";
import { mailDomainOf, messageOf } from "./mail-message.ts";

test.each([
  ["https://svc.example.com", "svc.example.com"],
  ["https://svc.example.com:8443/base", "svc.example.com"],
  ["http://127.0.0.1:8080", "[127.0.0.1]"],
  ["http://[::1]:8080", "[IPv6:::1]"],
])("mails of %s come from svc@%s", (baseUrl, domain) => {
  expect(mailDomainOf(baseUrl)).toBe(domain);
});

test("every attempt of a mail has the same Message-ID and date", () => {
  const mail = { id: "1", recipient: "ada@example.com", createdAt: new Date(0), subject: "", text: "", html: "" };
  const [first, second] = [messageOf(mail, "a.test"), messageOf(mail, "a.test")];
  expect(first).toMatchObject({ messageId: "<1@a.test>", date: new Date(0) });
  expect(second).toEqual(first);
});
