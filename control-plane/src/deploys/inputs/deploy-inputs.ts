import { ClaimLost } from "../deploy-claims.store.ts";
import { openDeployKey } from "../../apps/deploy-keys/open-deploy-key.ts";
import { keepDeployInputs, readAppFacts, readDeployInputs } from "./pipeline-inputs.store.ts";
import { openMarkedEnv, type EnvMarks } from "../../apps/env/get-env.ts";
import { sealContext } from "../../ports.ts";
import type { OperationContext } from "../../platform/operation.ts";

/** The user's settings when a deploy began: what is changed later is the next deploy's. */
export interface DeployInputs {
  repoUrl: string;
  root: string | undefined;
  framework: string | undefined;
  port: number | undefined;
  /** The caps that were set for the app. */
  memory: string | undefined;
  cpus: string | undefined;
  /** The app's stored variables. */
  env: Record<string, string>;
  marks: EnvMarks;
  /** Private key. */
  deployKey: string | undefined;
}

/** The marks of a deploy that an older control plane has begun. */
const NO_MARKS: EnvMarks = { sealed: [], writtenAt: {} };

type Parts = Pick<OperationContext, "db" | "keyRing">;

/**
 * Is taken once, when the deploy begins; every later call, in whichever process, gets the same.
 * @param parts.db the transaction in which the caller holds the rows of app and deploy, which runs
 */
export async function takeDeployInputs(
  parts: Parts,
  { appId, deployId }: { appId: string; deployId: string },
): Promise<DeployInputs> {
  const kept = await readDeployInputs(parts.db, deployId);
  if (kept) return openDeployInputs(parts, deployId, kept);
  const { repoUrl, root, framework, port, memory, cpus } = await readAppFacts(parts.db, appId);
  const deployKey = await openDeployKey(parts, appId);
  const { env, ...marks } = await openMarkedEnv(parts, appId);
  const inputs: DeployInputs = { repoUrl, root, framework, port, memory, cpus, env, marks, deployKey };
  const sealed = parts.keyRing.seal(JSON.stringify(inputs), sealContext.deployInputs(deployId));
  await keepDeployInputs(parts.db, deployId, sealed);
  return inputs;
}

/** Opens the inputs that were taken when the deploy began. @throws ClaimLost when the deploy has ended */
export async function openInputsOf(parts: Parts, deployId: string): Promise<DeployInputs> {
  const sealed = await readDeployInputs(parts.db, deployId);
  if (!sealed) throw new ClaimLost(`the deploy ${deployId} has ended`);
  return openDeployInputs(parts, deployId, sealed);
}

export function openDeployInputs({ keyRing }: Pick<Parts, "keyRing">, deployId: string, sealed: Buffer): DeployInputs {
  const text = keyRing.open(sealed, sealContext.deployInputs(deployId));
  const { marks = NO_MARKS, ...inputs } = JSON.parse(text) as DeployInputs;
  return { ...inputs, marks };
}
