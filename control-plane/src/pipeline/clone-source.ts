import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CloneBuildSpecSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { readSealedDeployKey } from "../db/deploy-keys.ts";
import type { AppFacts } from "../db/pipeline-inputs.ts";
import { sshRepository } from "../domain/deploy-key-host.ts";
import { findHostedRepository } from "../hosting/hosting.ts";
import { sealContext } from "../ports.ts";
import type { PipelineContext } from "./context.ts";

type CloneSource = Pick<MessageInitShape<typeof CloneBuildSpecSchema>, "repoUrl" | "credentials" | "platformHosted">;

/**
 * Where the app's repository is read, and with what: with a token of the platform when it is the owner's own on our git
 * host; over SSH with the deploy key alone when there is one; else over HTTPS anonymously. A key of a former repository
 * does not fit one of another form, and is not used for it.
 */
export async function cloneSource(ctx: PipelineContext, app: AppFacts): Promise<CloneSource> {
  const hosted = await findHostedRepository(ctx.hosting, ctx.db, app.ownerId, app.repoUrl);
  if (hosted) {
    const token = ctx.hosting.tokens.make(hosted.id);
    return { repoUrl: app.repoUrl, credentials: { method: { case: "token", value: token } }, platformHosted: true };
  }
  const repository = sshRepository(app.repoUrl, ctx.policy.deployKeyHosts);
  const sealed = repository && (await readSealedDeployKey(ctx.db, app.id));
  if (!sealed) return { repoUrl: app.repoUrl };
  const privateKey = ctx.keyRing.open(sealed, sealContext.deployKey(app.id));
  const value = { privateKey, knownHosts: repository.knownHosts };
  return { repoUrl: repository.url, credentials: { method: { case: "sshKey", value } } };
}
