import type { Claim } from "../db/deploy-claims.ts";
import { keepDeployInputs, readAppFacts, readDeployInputs } from "../db/pipeline-inputs.ts";
import { sealContext } from "../ports.ts";
import type { PipelineContext } from "./context.ts";
import { openDeployInputs, openEnv, type DeployInputs } from "./secrets.ts";

/** Taken by the deploy's first worker before its first step; every later call, and any other worker, gets the same. */
export async function takeDeployInputs(ctx: PipelineContext, { appId, deployId }: Claim): Promise<DeployInputs> {
  const sealed = (await readDeployInputs(ctx.db, deployId)) ?? (await keepInputsOfNow(ctx, appId, deployId));
  return openDeployInputs(ctx, deployId, sealed);
}

async function keepInputsOfNow(ctx: PipelineContext, appId: string, deployId: string): Promise<Buffer> {
  const { repoUrl, framework, port } = await readAppFacts(ctx.db, appId);
  const inputs: DeployInputs = { repoUrl, framework, port, env: await openEnv(ctx, appId) };
  const sealed = ctx.keyRing.seal(JSON.stringify(inputs), sealContext.deployInputs(deployId));
  return keepDeployInputs(ctx.db, deployId, sealed);
}
