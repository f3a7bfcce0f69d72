import { SOURCE_SECONDS } from "@svc/shared/rules/step-limits.ts";
import { X509Certificate } from "node:crypto";
import { SvcError } from "@svc/shared/errors.ts";
import { ROOT_RULE, rootFolder } from "@svc/shared/rules/root-folder.ts";
import type { CloneBuildSpec } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import type { Caps } from "@svc/shared/spec/caps.ts";
import { isCidr } from "@svc/shared/net/public-address.ts";
import { isDnsServer } from "@svc/shared/net/resolve-host.ts";
import { checkGitCredentials } from "./git/git-credentials.ts";
import type { GitCredentials, OutboundPolicy } from "../ports.ts";
import type { UndoContext } from "../runner/step.ts";

/** Which commit of which repository, and how it may be reached; checked. */
export interface Source {
  repoUrl: string;
  /** Branch, tag or SHA; undefined for the default branch. */
  ref: string | undefined;
  /** Folder of it that is built; undefined when that was not set for the app. */
  root: string | undefined;
  /** The most that its spec file may ask for. */
  capsMax: Caps;
  outbound: OutboundPolicy;
  /** Addresses from which its build may fetch, wherever the source itself is. */
  buildOutbound: OutboundPolicy;
  credentials: GitCredentials | undefined;
  timeLimitSeconds: number;
}

/** Trusts nothing: the address and the ref are checked once more where git is called. @throws SvcError invalid_request */
export function checkSource(ctx: Pick<UndoContext, "app" | "deployId">, message: CloneBuildSpec): Source {
  requireIds(ctx);
  const { timeLimitSeconds } = message;
  const { min, max } = SOURCE_SECONDS;
  if (timeLimitSeconds < min || timeLimitSeconds > max) {
    throw invalidBuild(`time_limit_seconds is ${timeLimitSeconds}; allowed is ${min} to ${max}.`);
  }
  return {
    repoUrl: message.repoUrl,
    ref: message.ref === "" ? undefined : message.ref,
    root: message.root === "" ? undefined : checkRoot(message.root),
    capsMax: {
      memoryBytes: message.memoryBytesMax === 0n ? undefined : Number(message.memoryBytesMax),
      cpuMillis: message.cpuMillisMax === 0 ? undefined : message.cpuMillisMax,
    },
    outbound: message.platformHosted ? platformPolicy(message) : outboundPolicy(message.outbound),
    buildOutbound: outboundPolicy(message.outbound),
    credentials: checkGitCredentials(message.credentials),
    timeLimitSeconds,
  };
}

function checkRoot(text: string): string {
  const root = rootFolder(text);
  if (root !== undefined) return root;
  throw invalidBuild(`root is ${JSON.stringify(text)}; allowed is ${ROOT_RULE}.`);
}

export function requireIds({ app, deployId }: Pick<UndoContext, "app" | "deployId">): void {
  if (!isId(app.id)) throw invalidBuild("app.id is not a UUID.");
  if (!isId(deployId)) throw invalidBuild("deploy_id is not a UUID.");
}

function outboundPolicy(message: CloneBuildSpec["outbound"]): OutboundPolicy {
  const { allowCidrs = [], caPem = "", dnsServers = [] } = message ?? {};
  const cidr = allowCidrs.find((one) => !isCidr(one));
  if (cidr !== undefined)
    throw invalidBuild(`outbound.allow_cidrs holds ${JSON.stringify(cidr)}, which is not a range.`);
  const dnsServer = dnsServers.find((one) => !isDnsServer(one));
  if (dnsServer !== undefined)
    throw invalidBuild(`outbound.dns_servers holds ${JSON.stringify(dnsServer)}, which is not address[:port].`);
  if (caPem.trim() !== "" && !isCertificates(caPem))
    throw invalidBuild("outbound.ca_pem is not a list of certificates.");
  return { allowCidrs, caPem, dnsServers };
}

/**
 * The control plane's own git host may be anywhere, a private network included, and have a name that this host alone knows;
 * the token shows that it is meant.
 */
function platformPolicy({ outbound, credentials }: CloneBuildSpec): OutboundPolicy {
  if (credentials?.method.case !== "token") throw invalidBuild("platform_hosted is set, but there is no token.");
  return { ...outboundPolicy(outbound), allowCidrs: ["0.0.0.0/0", "::/0"], dnsServers: [] };
}

function isCertificates(pem: string): boolean {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    return blocks.length > 0 && blocks.every((block) => new X509Certificate(block).raw.length > 0);
  } catch {
    return false;
  }
}

export function invalidBuild(message: string): SvcError {
  return new SvcError("invalid_request", `The build was not started: ${message}`);
}
