import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { makeOpenSshKey } from "@svc/control-plane/apps/deploy-keys/openssh-key.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-openssh-key-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function sshKeygen(...argv: string[]): string {
  return execFileSync("ssh-keygen", argv, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

test("ssh-keygen reads every key, finds its public half in the private one, and prints the same fingerprint", () => {
  const file = join(directory, "key");
  // The length of the comment moves the padding through all of its lengths.
  const comments = fc.stringMatching(/^[a-z0-9][a-z0-9@.-]{0,70}$/);
  fc.assert(
    fc.property(comments, (comment) => {
      const { publicKey, privateKey, fingerprint } = makeOpenSshKey(comment);
      writeFileSync(file, privateKey, { mode: 0o600 });
      writeFileSync(`${file}.pub`, `${publicKey}\n`);
      expect(sshKeygen("-y", "-f", file)).toBe(publicKey);
      expect(sshKeygen("-lf", `${file}.pub`)).toBe(`256 ${fingerprint} ${comment} (ED25519)`);
    }),
    { numRuns: 40 },
  );
});

test("no two keys are alike", () => {
  expect(makeOpenSshKey("svc").privateKey).not.toBe(makeOpenSshKey("svc").privateKey);
});
