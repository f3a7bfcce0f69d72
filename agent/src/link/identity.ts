import { X509Certificate } from "node:crypto";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import { identityFromSubjectAltName } from "@svc/shared/rules/fleet-identity.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { syncDirectory } from "@svc/shared/platform/sync-directory.ts";
import { readIfPresent, writeDurably } from "../platform/durable-file.ts";

/** The agent's identity in the fleet, as the control plane has certified it. */
export interface Identity {
  serverId: string;
  serverName: string;
  /** RSA, PKCS #8. Made on this host and never leaves it; it stays the same over renewals. */
  keyPem: string;
  certificatePem: string;
  /** The fleet's authority, which signs both sides. */
  authorityPem: string;
  notBefore: Date;
  notAfter: Date;
}

const KEY = "key.pem";
const CERTIFICATE = "certificate.pem";
const AUTHORITY = "authority.pem";
const SERVER = "server.json";

/** @throws SvcError internal when the parts do not belong together */
export function createIdentity(parts: Omit<Identity, "notBefore" | "notAfter">): Identity {
  try {
    const certificate = new X509Certificate(parts.certificatePem);
    if (!certificate.verify(new X509Certificate(parts.authorityPem).publicKey)) throw new Error("another authority");
    const named = identityFromSubjectAltName(certificate.subjectAltName);
    // The id becomes a label of everything that the agent makes.
    if (named?.role !== "server" || named.id !== parts.serverId || !isId(named.id)) throw new Error("another identity");
    return { ...parts, notBefore: certificate.validFromDate, notAfter: certificate.validToDate };
  } catch (cause) {
    const advice = "join again with an empty data directory and a new token";
    throw new SvcError("internal", `The agent's certificate can't be used; ${advice}.`, { cause });
  }
}

/** Is undefined when this agent has not joined yet. @throws SvcError internal when the identity can't be used */
export async function loadIdentity(dataDirectory: string): Promise<Identity | undefined> {
  const directory = join(dataDirectory, "identity");
  const server = await readIfPresent(join(directory, SERVER));
  if (server === undefined) return undefined;
  const [keyPem, certificatePem, authorityPem] = await Promise.all(
    [KEY, CERTIFICATE, AUTHORITY].map((name) => readFile(join(directory, name), "utf8")),
  );
  const { id, name } = JSON.parse(server) as { id: string; name: string };
  return createIdentity({
    serverId: id,
    serverName: name,
    keyPem: keyPem!,
    certificatePem: certificatePem!,
    authorityPem: authorityPem!,
  });
}

/** All of it or nothing: the directory gets its name only once it is complete. */
export async function saveIdentity(dataDirectory: string, identity: Identity): Promise<void> {
  const directory = join(dataDirectory, "identity");
  const draft = `${directory}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  await writeDurably(join(draft, KEY), identity.keyPem, 0o600);
  await writeDurably(join(draft, CERTIFICATE), identity.certificatePem, 0o644);
  await writeDurably(join(draft, AUTHORITY), identity.authorityPem, 0o644);
  const server = { id: identity.serverId, name: identity.serverName };
  await writeDurably(join(draft, SERVER), JSON.stringify(server), 0o644);
  await rename(draft, directory);
  await syncDirectory(dataDirectory);
}

/** Stores a renewal: the key stays, so that one file changes and a crash leaves the old certificate or the new one. */
export async function saveCertificate(dataDirectory: string, identity: Identity): Promise<void> {
  await writeDurably(join(dataDirectory, "identity", CERTIFICATE), identity.certificatePem, 0o644);
}
