import { describe, expect, test } from "vitest";
import { parseOidcProviders } from "./provider.ts";

const entry = {
  id: "company",
  name: "Company",
  issuer: "https://login.example.com/realms/main",
  client_id: "svc",
  client_secret_file: "/run/secret",
};
const readSecret = () => "hunter2\n";
const parse = (...entries: unknown[]) => parseOidcProviders(JSON.stringify(entries), readSecret);

test("an entry is read with the secret of its file", () => {
  expect(parse(entry)).toEqual([
    {
      id: "company",
      name: "Company",
      issuer: "https://login.example.com/realms/main",
      clientId: "svc",
      clientSecret: "hunter2",
    },
  ]);
  expect(parseOidcProviders("[]", readSecret)).toEqual([]);
});

test("an issuer is the same however it is written", () => {
  const issuers = ["https://Login.Example.com", "https://login.example.com/", "https://login.example.com:443"];
  for (const issuer of issuers) expect(parse({ ...entry, issuer })[0]?.issuer).toBe("https://login.example.com/");
});

test.each(["http://127.0.0.1:9000", "http://localhost:9000/", "http://[::1]:9000"])(
  "an issuer on this machine, such as %s, needs no TLS",
  (issuer) => expect(parse({ ...entry, issuer })).toHaveLength(1),
);

describe("a file is refused with the entry, the property and what is allowed", () => {
  test.each<[string, object, string]>([
    ["no TLS", { issuer: "http://login.example.com" }, "issuer of entry 1 must be an https:// address"],
    ["a name like this machine's", { issuer: "http://127.0.0.1.example.com" }, "issuer of entry 1 must be"],
    ["no address", { issuer: "login.example.com" }, "issuer of entry 1 must be"],
    ["a query", { issuer: "https://login.example.com/?a" }, "issuer of entry 1 must be"],
    ["credentials", { issuer: "https://u:p@login.example.com" }, "issuer of entry 1 must be"],
    ["an id that is no part of a path", { id: "a/b" }, "id of entry 1 must have at most 32 of the characters"],
    ["a long name", { name: "x".repeat(51) }, "name of entry 1 must have at most 50 characters"],
    ["an empty name", { name: " " }, "name of entry 1 must be a text of one line"],
    ["a client that is none", { client_id: 7 }, "client_id of entry 1 must be a text of one line"],
    ["no secret", { client_secret_file: undefined }, "client_secret_file of entry 1 must be a text of one line"],
    [
      "a secret in the file itself",
      { client_secret: "x" },
      "entry 1 has an unknown property client_secret; allowed are",
    ],
  ])("%s", (_name, wrong, sentence) => {
    expect(() => parse({ ...entry, ...wrong })).toThrow(sentence);
  });

  test("what is no list of objects", () => {
    expect(() => parseOidcProviders("{", readSecret)).toThrow("it is not JSON");
    expect(() => parseOidcProviders("{}", readSecret)).toThrow("it must be a JSON array of providers");
    expect(() => parse(null)).toThrow("entry 1 must be an object with id, name, issuer");
  });

  test("two with one id, or with one issuer", () => {
    expect(() => parse(entry, { ...entry, issuer: "https://b.example" })).toThrow("two entries have the id company");
    expect(() => parse(entry, { ...entry, id: "other" })).toThrow("two entries have the issuer https://login");
  });

  test("a secret that can't be read, is empty, or has several lines, and is in no message", () => {
    const text = JSON.stringify([entry]);
    const missing = () => {
      throw new Error("ENOENT: no such file");
    };
    expect(() => parseOidcProviders(text, missing)).toThrow("client_secret_file of entry 1 can't be read: ENOENT");
    for (const secret of ["", "\n", "hunter2\nhunter3"]) {
      const read = () => parseOidcProviders(text, () => secret);
      expect(read).toThrow("client_secret_file of entry 1, /run/secret, must hold the client's secret");
      expect(read).not.toThrow("hunter");
    }
  });
});
