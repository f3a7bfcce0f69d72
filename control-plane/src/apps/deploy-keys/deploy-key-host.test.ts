import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { DEFAULT_DEPLOY_KEY_HOSTS, parseDeployKeyHosts, sshRepository } from "./deploy-key-host.ts";

test("GitHub's pinned keys have the fingerprints that it publishes", () => {
  const fingerprints = DEFAULT_DEPLOY_KEY_HOSTS[0]!.knownHosts.map((key) =>
    createHash("sha256")
      .update(Buffer.from(key.split(" ")[1]!, "base64"))
      .digest("base64"),
  );
  expect(fingerprints).toEqual([
    "+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU=",
    "p2QAMXNIC1TJYWeIOttrVc98/R1BUFWu3/LiyKgUfQM=",
    "uNiVztksCsDhcc0u9e8BujQXVUpKZIDTMczCvj3tD2s=",
  ]);
});

test.each([
  ["https://github.com/you/shop", "ssh://git@github.com:22/you/shop.git"],
  ["https://github.com/you/shop.git", "ssh://git@github.com:22/you/shop.git"],
  ["https://github.com/you/.github", "ssh://git@github.com:22/you/.github.git"],
  ["https://github.com/you/.github.git", "ssh://git@github.com:22/you/.github.git"],
  ["https://GitHub.com/You/shop.js", "ssh://git@github.com:22/You/shop.js.git"],
])("%s is read over SSH as %s", (repoUrl, url) => {
  expect(sshRepository(repoUrl, DEFAULT_DEPLOY_KEY_HOSTS)?.url).toBe(url);
});

test.each([
  null,
  "",
  "https://github.com/you",
  "https://github.com/you/",
  "https://github.com/you/shop/",
  "https://github.com/you/shop/tree/main",
  "https://github.com/you/shop?x=1",
  "https://github.com/you/shop#main",
  "https://github.com/you/..",
  "https://github.com/../shop",
  "https://github.com/-you/shop",
  "https://github.com/you/.git",
  "https://github.com/you/sh%6fp",
  "https://github.com/you/shop'x",
  "https://github.com:8443/you/shop",
  "https://github.com.example/you/shop",
  "https://me@github.com/you/shop",
  "http://github.com/you/shop",
  "ssh://git@github.com/you/shop",
])("%s is no repository for a deploy key", (repoUrl) => {
  expect(sshRepository(repoUrl, DEFAULT_DEPLOY_KEY_HOSTS)).toBeUndefined();
});

test("a host's keys are pinned under its name, with the port unless it is 22", () => {
  const key = DEFAULT_DEPLOY_KEY_HOSTS[0]!.knownHosts[0]!;
  const hosts = parseDeployKeyHosts(
    JSON.stringify([{ host: "git.example:8443", ssh: "ssh://git@ssh.git.example:2222", known_hosts: [key] }]),
  );
  expect(sshRepository("https://git.example:8443/a/b", hosts)).toEqual({
    url: "ssh://git@ssh.git.example:2222/a/b.git",
    knownHosts: [`[ssh.git.example]:2222 ${key}`],
  });
  expect(sshRepository("https://github.com/a/b", DEFAULT_DEPLOY_KEY_HOSTS)?.knownHosts[0]).toBe(`github.com ${key}`);
});

test.each([
  ["no JSON", "{", /not JSON/],
  ["no array", "{}", /JSON array/],
  ["an unknown property", '[{"host":"a.b","ssh":"ssh://git@a.b:22","known_hosts":["ssh-rsa AA"],"x":1}]', /property x/],
  ["a host with a path", '[{"host":"a.b/c","ssh":"ssh://git@a.b:22","known_hosts":["ssh-rsa AA"]}]', /host of entry 1/],
  ["an address with an option", '[{"host":"a.b","ssh":"ssh://-x@a.b:22","known_hosts":["ssh-rsa AA"]}]', /ssh of/],
  ["a port out of range", '[{"host":"a.b","ssh":"ssh://git@a.b:70000","known_hosts":["ssh-rsa AA"]}]', /ssh of/],
  ["no keys", '[{"host":"a.b","ssh":"ssh://git@a.b:22","known_hosts":[]}]', /known_hosts of/],
  ["a line break", '[{"host":"a.b","ssh":"ssh://git@a.b:22","known_hosts":["ssh-rsa AA\\nx"]}]', /known_hosts of/],
])("a file with %s is refused in words", (_what, text, sentence) => {
  expect(() => parseDeployKeyHosts(text)).toThrow(sentence);
});
