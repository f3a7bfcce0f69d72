import { createHash, createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { access, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseHostPort } from "@svc/shared/platform/env.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { systemClock, type Clock } from "@svc/shared/platform/clock.ts";
import {
  CONTROL_PLANE_NAME,
  identityUri,
  serverDnsName,
  type FleetIdentity,
} from "@svc/shared/rules/fleet-identity.ts";
import { generateRsaKey, issueCertificate, publicKeyOfRequest } from "./certificates.ts";
import { claimFile } from "./claim-file.ts";

const DAY_MS = 24 * 3_600_000;

/** Outlives any installation that is looked after; replacing a root means that every agent joins again. */
const AUTHORITY_LIFE_MS = 3650 * DAY_MS;

/** Agents renew at two thirds, so an agent may be away for ten days and still come back by itself. */
const MEMBER_LIFE_MS = 30 * DAY_MS;

export interface AuthorityOptions {
  clock?: Clock;
  /** How long the certificates of the fleet's members are valid, in milliseconds. */
  memberLifeMs?: number;
}

/** A certificate that the authority made together with its key. */
export interface Credentials {
  keyPem: string;
  certificatePem: string;
  authorityPem: string;
  notAfter: Date;
}

/**
 * The fleet's own certificate authority: it signs the certificates of servers, control planes and operators, and both
 * sides of every connection trust nothing else (proto/README.md). Its key never leaves `<data>/fleet/authority.key`.
 */
export class Authority {
  readonly certificatePem: string;
  /** SHA-256 of the certificate's DER, lower-case hex: what a join token pins. */
  readonly fingerprint: string;
  readonly #keyPem: string;
  readonly #clock: Clock;
  readonly #memberLifeMs: number;

  private constructor(keyPem: string, certificatePem: string, options: AuthorityOptions) {
    this.certificatePem = certificatePem;
    this.fingerprint = createHash("sha256").update(new X509Certificate(certificatePem).raw).digest("hex");
    this.#keyPem = keyPem;
    this.#clock = options.clock ?? systemClock;
    this.#memberLifeMs = options.memberLifeMs ?? MEMBER_LIFE_MS;
  }

  /**
   * Opens the authority of a data directory, or makes it. Processes that start together get the same one: the key is
   * claimed first, and whoever claims the certificate signed it with that key.
   * @throws SvcError internal when the two files do not belong together
   */
  static async open(dataDirectory: string, options: AuthorityOptions = {}): Promise<Authority> {
    const directory = join(dataDirectory, "fleet");
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const keyPath = join(directory, "authority.key");
    const certificatePath = join(directory, "authority.pem");

    const keyPem = await claimFile(keyPath, 0o600, async () => (await generateRsaKey()).privateKeyPem);
    const now = (options.clock ?? systemClock).now();
    const certificatePem = await claimFile(certificatePath, 0o644, () => selfSigned(keyPem, now));
    if (!new X509Certificate(certificatePem).checkPrivateKey(createPrivateKey(keyPem))) {
      throw new SvcError(
        "internal",
        `${certificatePath} was not made with ${keyPath}: restore both files from the same backup.`,
      );
    }
    return new Authority(keyPem, certificatePem, options);
  }

  /** Whether a data directory has an authority, or the beginning of one. */
  static async exists(dataDirectory: string): Promise<boolean> {
    return access(join(dataDirectory, "fleet", "authority.key")).then(
      () => true,
      () => false,
    );
  }

  /** Is for a control-plane process, which serves agents that dial in and dials those that listen. */
  async issueControlPlaneCertificate(): Promise<Credentials> {
    const hosts = [CONTROL_PLANE_NAME];
    return this.#issueWithKey({ role: "control-plane", id: "main" }, hosts, ["client", "server"]);
  }

  /** Is for a person who reads an agent with a gRPC client. @param name letters, digits, `.`, `_`, `-`, at most 128 */
  async issueOperatorCertificate(name: string): Promise<Credentials> {
    if (!/^[A-Za-z0-9._-]{1,128}$/.test(name)) {
      throw new SvcError(
        "invalid_request",
        `The operator's name ${JSON.stringify(name)} cannot be used; allowed are 1 to 128 letters, digits, ".", "_", "-".`,
      );
    }
    return this.#issueWithKey({ role: "operator", id: name }, [], ["client"]);
  }

  /**
   * Signs a server's request. Its names are ours to give: only the public key is taken from the request.
   * @returns PEM
   * @throws SvcError invalid_request
   */
  async signServer(csrPem: string, server: { id: string; listenAddress: string | undefined }): Promise<string> {
    const publicKeyPem = publicKeyOfRequest(csrPem);
    const hosts = [serverDnsName(server.id), ...(server.listenAddress ? listenHosts(server.listenAddress) : [])];
    return this.#issue({ role: "server", id: server.id }, hosts, ["client", "server"], publicKeyPem);
  }

  async #issueWithKey(
    identity: FleetIdentity,
    hosts: readonly string[],
    usages: readonly ("client" | "server")[],
  ): Promise<Credentials> {
    const key = await generateRsaKey();
    const certificatePem = await this.#issue(identity, hosts, usages, key.publicKeyPem);
    return {
      keyPem: key.privateKeyPem,
      certificatePem,
      authorityPem: this.certificatePem,
      notAfter: new Date(new X509Certificate(certificatePem).validTo),
    };
  }

  #issue(
    identity: FleetIdentity,
    hosts: readonly string[],
    usages: readonly ("client" | "server")[],
    publicKeyPem: string,
  ): Promise<string> {
    const subject = {
      kind: "member",
      commonName: `${identity.role} ${identity.id}`.slice(0, COMMON_NAME_LENGTH_MAX),
      uri: identityUri(identity),
      hosts,
      usages,
    } as const;
    const issuer = { privateKeyPem: this.#keyPem, certificatePem: this.certificatePem };
    return issueCertificate(issuer, subject, publicKeyPem, { now: this.#clock.now(), lifeMs: this.#memberLifeMs });
  }
}

/** RFC 5280, ub-common-name. */
const COMMON_NAME_LENGTH_MAX = 64;

function selfSigned(keyPem: string, now: Date): Promise<string> {
  const publicKeyPem = createPublicKey(keyPem).export({ type: "spki", format: "pem" }).toString();
  const subject = { kind: "authority", commonName: "svc fleet authority" } as const;
  return issueCertificate({ privateKeyPem: keyPem }, subject, publicKeyPem, { now, lifeMs: AUTHORITY_LIFE_MS });
}

/** An agent that is dialled is also read by operators: at its address, or on its own host. */
function listenHosts(listenAddress: string): string[] {
  const host = parseHostPort(listenAddress)?.host;
  if (host === undefined) {
    throw new SvcError(
      "invalid_request",
      `The listen address is ${JSON.stringify(listenAddress)}; allowed is host:port, such as 192.0.2.7:9443.`,
    );
  }
  return host === "localhost" ? [host] : ["localhost", host];
}
