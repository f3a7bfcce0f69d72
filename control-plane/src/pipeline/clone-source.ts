import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CloneBuildSpecSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { readSealedDeployKey } from "../db/deploy-keys.ts";
import type { AppFacts } from "../db/pipeline-inputs.ts";
import { sshRepository } from "../domain/deploy-key-host.ts";
import { sealContext } from "../ports.ts";
import type { PipelineContext } from "./context.ts";

type CloneSource = Pick<MessageInitShape<typeof CloneBuildSpecSchema>, "repoUrl" | "credentials">;

/**
 * Where the app's repository is read, and with what: over SSH with the deploy key alone when there is one, else over
 * HTTPS anonymously. A key of a former repository does not fit one of another form, and is not used for it.
 */
export async function cloneSource(ctx: PipelineContext, app: AppFacts): Promise<CloneSource> {
  const repository = sshRepository(app.repoUrl, ctx.policy.deployKeyHosts);
  const sealed = repository && (await readSealedDeployKey(ctx.db, app.id));
  if (!sealed) return { repoUrl: app.repoUrl };
  const privateKey = ctx.keyRing.open(sealed, sealContext.deployKey(app.id));
  const value = { privateKey, knownHosts: repository.knownHosts };
  return { repoUrl: repository.url, credentials: { method: { case: "sshKey", value } } };
}
