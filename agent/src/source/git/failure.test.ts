import { describe, expect, it } from "vitest";
import { explainFailure } from "./failure.ts";

const ctx = { url: new URL("https://git.example/a/b.git"), ref: "main" };

describe("why a fetch failed, in words for its user", () => {
  it.each([
    ["fatal: couldn't find remote ref main", "ref_not_found", /no branch, tag or commit main/],
    ["fatal: remote error: upload-pack: not our ref 0123", "ref_not_found", /full SHA/],
    [
      "fatal: could not read Username for 'https://x': terminal prompts disabled",
      "repository_needs_credentials",
      /private/,
    ],
    [
      "fatal: unable to access 'https://x/': The requested URL returned error: 403",
      "repository_needs_credentials",
      /private/,
    ],
    [
      "fatal: repository 'https://x/' not found",
      "repository_not_found",
      /no git repository at https:\/\/git\.example\/a\/b\.git/,
    ],
    ["fatal: https://x/info/refs not valid: is this a git repository?", "repository_not_found", /no git repository/],
    ["The requested URL returned error: 302", "repository_unreachable", /redirect/],
    ["The requested URL returned error: 503", "repository_unreachable", /error 503/],
    ["server certificate verification failed. CAfile: /x", "repository_unreachable", /not from a known authority/],
    ["SSL: certificate has expired", "repository_unreachable", /expired/],
    ["gnutls_handshake() failed: The TLS connection was non-properly terminated.", "repository_unreachable", /TLS/],
    ["Could not resolve host: git.example", "repository_unreachable", /no address/],
    ["Failed to connect to git.example port 443: Connection refused", "repository_unreachable", /refuses/],
    ["Operation too slow. Less than 1000 bytes/sec", "repository_unreachable", /too slow/],
    ["error: RPC failed; curl 56 Recv failure: Connection reset by peer", "repository_unreachable", /broke off/],
    ["fatal: attempting to allocate 900000001 over limit 536870912", "repository_too_large", /takes more memory/],
    ["fatal: write error: No space left on device", "disk_full", /disk is full/],
    [
      "error: object 0123: hasDotgit: contains '.git'\nfatal: fsck error in packed object",
      "repository_unreachable",
      /damaged/,
    ],
    ["git@x: Permission denied (publickey).", "repository_needs_credentials", /read-only deploy key/],
    ["No ED25519 host key is known for x\nHost key verification failed.", "repository_unreachable", /pinned/],
    ["@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @", "repository_unreachable", /SVC_GIT_HOSTS_FILE/],
    ["sh: 1: ssh: not found", "repository_unreachable", /openssh-client/],
    ["ERROR: Repository not found.\nfatal: Could not read from remote", "repository_not_found", /no git repository/],
    ["kex_exchange_identification: Connection closed by remote host", "repository_unreachable", /broke off/],
    ["something new", "repository_unreachable", /git clone/],
  ])("%j is %s", (stderr, code, sentence) => {
    const error = explainFailure(stderr, ctx, new Error(stderr));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(sentence);
    expect(error.message).not.toContain("/x");
  });

  it("tells a repository without commits", () => {
    const error = explainFailure("couldn't find remote ref HEAD", { ...ctx, ref: undefined }, undefined);
    expect(error.message).toMatch(/no commit on its default branch/);
  });
});
