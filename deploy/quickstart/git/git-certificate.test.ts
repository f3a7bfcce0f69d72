import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ensureGitCertificate, readGitTls } from "./git-certificate.ts";
import { GIT_SERVER_ADDRESS } from "./git-server.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-certificate-"));
afterAll(() => rmSync(directory, { recursive: true }));

test("the git server's certificate is for its own address alone, signed by an authority whose key is nowhere", () => {
  const files = ensureGitCertificate(directory);
  const leaf = new X509Certificate(readGitTls(files).cert);
  const authority = new X509Certificate(readFileSync(files.caFile));
  expect(leaf.verify(authority.publicKey)).toBe(true);
  expect(leaf.checkIP(GIT_SERVER_ADDRESS)).toBe(GIT_SERVER_ADDRESS);
  expect(leaf.checkIP("127.0.0.1")).toBeUndefined();
  expect(leaf.checkHost("localhost")).toBeUndefined();
  expect(leaf.checkHost("example.com")).toBeUndefined();
  expect(leaf.ca).toBe(false);
  expect(statSync(files.keyFile).mode & 0o777).toBe(0o600);
});

test("a second run keeps it", () => {
  const before = readGitTls(ensureGitCertificate(directory));
  expect(readGitTls(ensureGitCertificate(directory))).toEqual(before);
});
