/**
 * How the two sides of the fleet's mutual TLS know one another: by the URI in the certificate's subject alternative
 * name, never by a host name alone (proto/README.md).
 */
export type FleetRole = "control-plane" | "server" | "operator";

export interface FleetIdentity {
  role: FleetRole;
  /** UUID of the server; a name for the others. */
  id: string;
}

const PREFIX = "spiffe://svc/";

export function identityUri({ role, id }: FleetIdentity): string {
  return `${PREFIX}${role}/${id}`;
}

/** Reads `subjectAltName` as Node gives it; undefined unless there is exactly one URI and it is ours. */
export function identityFromSubjectAltName(subjectAltName: string | undefined): FleetIdentity | undefined {
  const uris = (subjectAltName ?? "").split(", ").filter((name) => name.startsWith("URI:"));
  const match = /^URI:spiffe:\/\/svc\/(control-plane|server|operator)\/([A-Za-z0-9._-]{1,128})$/.exec(uris[0] ?? "");
  if (uris.length !== 1 || !match) return undefined;
  return { role: match[1] as FleetRole, id: match[2]! };
}

/** The DNS name that every control plane's certificate carries; what agents verify when they dial. */
export const CONTROL_PLANE_NAME = "control-plane.svc.internal";

/** The DNS name that the certificate of a server's agent carries; what is verified when an agent is dialled. */
export function serverDnsName(serverId: string): string {
  return `${serverId}.server.svc.internal`;
}

/**
 * ALPN of a connection on SVC_AGENTS_LISTEN: with `h2` the agent is the HTTP/2 client and calls EnrolmentService; with
 * this one the roles are reversed and the control plane calls AgentService; with `http/1.1` a host fetches the agent.
 */
export const ALPN_LINK = "svc-link/1";
export const ALPN_ENROLMENT = "h2";
export const ALPN_BUNDLE = "http/1.1";

/** The file in an agent's bundle that says which version it is: `{"version": "0.1.0+3f2a41c09b77"}` (decision 042). */
export const BUNDLE_FACTS = "bundle.json";

/** A semantic version with what its files are (semver.org, 10); it names a folder. */
export function isBundleVersion(text: string): boolean {
  return /^\d{1,4}\.\d{1,4}\.\d{1,4}\+[0-9a-f]{12}$/.test(text);
}
