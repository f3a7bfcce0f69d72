import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { GitCredentialsSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { describe, expect, it } from "vitest";
import { checkGitCredentials } from "./git-credentials.ts";

const privateKey = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\nBBBB==\n-----END OPENSSH PRIVATE KEY-----\n";
const knownHosts = ["[git.example]:2222 ssh-ed25519 AAAAC3Nz", "git.example ecdsa-sha2-nistp256 AAAA="];

type Method = NonNullable<MessageInitShape<typeof GitCredentialsSchema>["method"]>;
const check = (method: Method) => checkGitCredentials(create(GitCredentialsSchema, { method }));

describe("credentials of a clone", () => {
  it("are none, a token or a key with the host's keys", () => {
    expect(checkGitCredentials(undefined)).toBeUndefined();
    expect(check({ case: "token", value: "svcgit_1" })).toEqual({ kind: "token", token: "svcgit_1" });
    expect(check({ case: "sshKey", value: { privateKey, knownHosts } })).toEqual({
      kind: "ssh",
      privateKey,
      knownHosts,
    });
  });

  it.each<[string, Method]>([
    ["no method", { case: undefined }],
    ["an empty token", { case: "token", value: "" }],
    ["a token that ends its header", { case: "token", value: "secret\r\nHost: x" }],
    ["what is no key", { case: "sshKey", value: { privateKey: "secret", knownHosts } }],
    ["a key with something behind it", { case: "sshKey", value: { privateKey: `${privateKey}secret`, knownHosts } }],
    ["no host keys", { case: "sshKey", value: { privateKey, knownHosts: [] } }],
    ["a pattern for any host", { case: "sshKey", value: { privateKey, knownHosts: ["* ssh-ed25519 AAAA"] } }],
    ["a marker", { case: "sshKey", value: { privateKey, knownHosts: ["@cert-authority x ssh-ed25519 AAAA"] } }],
    ["two lines in one", { case: "sshKey", value: { privateKey, knownHosts: ["x ssh-ed25519 AAAA\n* ssh-rsa AAAA"] } }],
  ])("are refused with %s, and no secret is repeated", (_what, method) => {
    expect(() => check(method)).toThrow(expect.objectContaining({ code: "invalid_request" }));
    expect(() => check(method)).not.toThrow(/secret/);
  });
});
