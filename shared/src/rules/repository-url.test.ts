import { expect, test } from "vitest";
import { parseRepositoryUrl } from "./repository-url.ts";

test.each([
  ["git@github.com:you/shop.git", "https://github.com/you/shop.git"],
  ["ssh://git@github.com/you/shop", "https://github.com/you/shop"],
  ["ssh://git@git.example.com:2222/you/shop.git", "https://git.example.com/you/shop.git"],
])("an address for ssh is refused with the one to give instead: %s", (text, instead) => {
  expect(() => parseRepositoryUrl(text, "repo_url")).toThrow(
    expect.objectContaining({
      code: "invalid_request",
      message: `repo_url is an address for ssh and must begin with https://: give "${instead}".`,
    }),
  );
});

test.each(["foo", "http://github.com/you/shop", "file:///etc", "ada:secret@github.com/you/shop"])(
  "%s is refused without what may be a password",
  (text) => {
    expect(() => parseRepositoryUrl(text, "repo_url")).toThrow(/must begin with https/);
    expect(() => parseRepositoryUrl(text, "repo_url")).not.toThrow(/secret/);
  },
);
