import { expect, test } from "vitest";
import { hostedRepositoryUrl, parseHostedRepositoryUrl } from "./hosted-repository.ts";

const base = "https://api.example.com";
const repository = { ownerId: "0197a1f0-0000-7000-8000-000000000001", name: "shop" };

test("a hosted repository is found again by its URL", () => {
  const url = hostedRepositoryUrl(base, repository);
  expect(url).toBe(`${base}/git/${repository.ownerId}/shop.git`);
  expect(parseHostedRepositoryUrl(base, url)).toEqual(repository);
});

test.each([
  "https://api.example.com.evil.test/git/0197a1f0-0000-7000-8000-000000000001/shop.git",
  "https://github.com/git/0197a1f0-0000-7000-8000-000000000001/shop.git",
  `${base}/git/0197a1f0-0000-7000-8000-000000000001/../shop.git`,
  `${base}/git/0197a1f0-0000-7000-8000-000000000001/shop`,
  `${base}/git/0197a1f0-0000-7000-8000-000000000001/shop.git?x`,
])("%s is not a repository of this platform", (url) => {
  expect(parseHostedRepositoryUrl(base, url)).toBeUndefined();
});
