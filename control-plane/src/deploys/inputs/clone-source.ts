import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CloneBuildSpecSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { sshRepository } from "../../apps/deploy-keys/deploy-key-host.ts";
import { parseHostedRepositoryUrl } from "../../repositories/hosted-repository.ts";
import { findHostedRepository, type Hosting } from "../../repositories/hosting/hosting.ts";
import type { Db } from "../../platform/database/database.ts";
import type { DeployInputs } from "./deploy-inputs.ts";
import type { PipelinePolicy } from "./pipeline-policy.ts";

type CloneSource = Pick<MessageInitShape<typeof CloneBuildSpecSchema>, "repoUrl" | "credentials" | "platformHosted">;

/**
 * Where the app's repository is read, and with what: with a token of the platform when it is the owner's own on our git
 * host; over SSH with the deploy key alone when there is one; else over HTTPS anonymously. A key of a former repository
 * does not fit one of another form, and is not used for it.
 * @throws SvcError repository_not_found for one of our git host that is not there, or is somebody else's
 */
export async function cloneSource(
  ctx: { hosting: Hosting; policy: PipelinePolicy; db: Db },
  ownerId: string,
  { repoUrl, deployKey }: Pick<DeployInputs, "deployKey" | "repoUrl">,
): Promise<CloneSource> {
  const hosted = await findHostedRepository(ctx.hosting, ctx.db, ownerId, repoUrl);
  if (hosted) {
    const token = ctx.hosting.tokens.make(hosted.id);
    return { repoUrl, credentials: { method: { case: "token", value: token } }, platformHosted: true };
  }
  if (parseHostedRepositoryUrl(ctx.hosting.baseUrl, repoUrl)) throw noSuchRepository(repoUrl);
  const repository = sshRepository(repoUrl, ctx.policy.deployKeyHosts);
  if (!repository || deployKey === undefined) return { repoUrl };
  const value = { privateKey: deployKey, knownHosts: repository.knownHosts };
  return { repoUrl: repository.url, credentials: { method: { case: "sshKey", value } } };
}

/** Returns the most that a commit's spec file may ask for. */
export function capsMax({ policy }: { policy: PipelinePolicy }, tier: string) {
  const { memoryBytes, cpuMillis } = policy.limitsOf(tier);
  return { memoryBytesMax: BigInt(memoryBytes), cpuMillisMax: cpuMillis };
}

/** Returns what a fetch may reach. */
export function outboundPolicy({ policy }: { policy: PipelinePolicy }) {
  const { outboundAllowCidrs, outboundCaPem: caPem, dnsServers } = policy;
  return { allowCidrs: [...outboundAllowCidrs], caPem, dnsServers: [...dnsServers] };
}

function noSuchRepository(repoUrl: string): SvcError {
  const advice = "Check the address, or make it with POST /api/repositories and push to it.";
  return new SvcError("repository_not_found", `You have no repository ${repoUrl} on this platform. ${advice}`);
}
