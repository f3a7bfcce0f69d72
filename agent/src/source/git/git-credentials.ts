import { SvcError } from "@svc/shared/errors.ts";
import type { GitCredentials as Message } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { GitCredentials } from "../../ports.ts";

/** Goes into a header line, so it must not end one. */
const TOKEN = /^[!-~]{1,1024}$/;
const PRIVATE_KEY =
  /^-----BEGIN OPENSSH PRIVATE KEY-----\n[A-Za-z0-9+/=\n]{1,16384}-----END OPENSSH PRIVATE KEY-----\n$/;
/** `<host> <type> <base64>`, without patterns and markers. */
const KNOWN_HOST = /^[a-z0-9.:[\]-]{1,300} (?:ssh|ecdsa)-[a-z0-9-]{1,40} [A-Za-z0-9+/]{1,4096}={0,2}$/;
/** A host has a handful of keys. */
const KNOWN_HOSTS_MAX = 100;

/**
 * Reads the credentials of a private repository from a message; undefined for an anonymous fetch.
 * @throws SvcError invalid_request, which repeats nothing of a secret
 */
export function checkGitCredentials(message: Message | undefined): GitCredentials | undefined {
  if (!message) return undefined;
  const { method } = message;
  switch (method.case) {
    case "token":
      if (!TOKEN.test(method.value))
        throw invalid("token must be 1 to 1024 printable ASCII characters without a space.");
      return { kind: "token", token: method.value };
    case "sshKey": {
      const { privateKey, knownHosts } = method.value;
      if (!PRIVATE_KEY.test(privateKey)) throw invalid("ssh_key.private_key is not an OpenSSH private key.");
      if (knownHosts.length === 0 || knownHosts.length > KNOWN_HOSTS_MAX) {
        throw invalid(`ssh_key.known_hosts has ${knownHosts.length} lines; allowed are 1 to ${KNOWN_HOSTS_MAX}.`);
      }
      const wrong = knownHosts.find((line) => !KNOWN_HOST.test(line));
      if (wrong !== undefined) {
        throw invalid(`ssh_key.known_hosts holds ${JSON.stringify(wrong.slice(0, 100))}, which is no host and key.`);
      }
      return { kind: "ssh", privateKey, knownHosts };
    }
    case undefined:
      throw invalid("method is missing.");
  }
}

function invalid(what: string): SvcError {
  return new SvcError("invalid_request", `The build was not started: credentials.${what}`);
}
