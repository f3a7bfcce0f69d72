import type { MessageInitShape } from "@bufbuild/protobuf";
import type { DeployContainerSpecSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { openReleaseEnv } from "../inputs/app-secrets.ts";
import {
  ensureRelease,
  readAppDatabase,
  readTargetRelease,
  type ReleaseFacts,
} from "../inputs/pipeline-inputs.store.ts";
import { cpuMillis, memoryBytes } from "@svc/shared/spec/resources.ts";
import { serviceVariable } from "@svc/shared/spec/service-databases.ts";
import { sealContext } from "../../ports.ts";
import type { StepInput } from "./context.ts";

/** The release that this deploy makes, or the one that a rollback goes back to, as it was: what deploy_container starts. */
export async function releaseToRun(input: StepInput): Promise<MessageInitShape<typeof DeployContainerSpecSchema>> {
  const { ctx, claim, app } = input;
  const { targetReleaseId } = claim;
  const release =
    targetReleaseId === undefined ? await makeRelease(input) : await readTargetRelease(ctx.db, targetReleaseId);
  const { name, imageDigest, port, runs } = release;
  const max = ctx.policy.limitsOf(app.tier);
  return {
    imageDigest,
    port,
    env: Object.entries(openReleaseEnv(ctx, release)).map(([key, value]) => ({ key, value })),
    // A release of a larger tier may be gone back to: it gets what there is today.
    memoryBytes: BigInt(Math.min(runs.memoryBytes ?? max.memoryBytes, max.memoryBytes)),
    cpuMillis: Math.min(runs.cpuMillis ?? max.cpuMillis, max.cpuMillis),
    command: [...(runs.command ?? [])],
    release: name,
    probeSeconds: ctx.timing.probeSeconds,
  };
}

/**
 * Is taken once, before the container starts, so that a step that is repeated, and a rollback later, get the same
 * environment.
 */
async function makeRelease(input: StepInput): Promise<ReleaseFacts> {
  const { ctx, claim, app, inputs } = input;
  const build = buildResult(input);
  const env = {
    // A `DATABASE_URL` of the user's own wins.
    ...(await databaseEnv(input)),
    ...inputs.env,
    PORT: String(build.port),
    SVC_APP: app.name,
    SVC_RELEASE: claim.release,
    SVC_COMMIT_SHA: build.commit_sha,
  };
  return ensureRelease(ctx.db, {
    id: newId(ctx.clock.now()),
    appId: app.id,
    deployId: claim.deployId,
    name: claim.release,
    imageDigest: build.image_digest,
    commitSha: build.commit_sha,
    framework: build.framework,
    port: build.port,
    env: ctx.keyRing.seal(JSON.stringify(env), sealContext.releaseEnv(claim.deployId)),
    marks: inputs.marks,
    runs: { ...build.runs, ...givenCaps(app) },
  });
}

/** The caps that were set for the app when the deploy began: they win over those of the commit's spec file. */
function givenCaps({ memory, cpus }: StepInput["app"]) {
  return {
    ...(memory !== undefined && { memoryBytes: memoryBytes(memory) }),
    ...(cpus !== undefined && { cpuMillis: cpuMillis(cpus) }),
  };
}

/** The URL of the provisioned database, once there is one, and those of the other databases on the same server. */
async function databaseEnv({ ctx, app, results }: StepInput): Promise<Record<string, string>> {
  const database = await readAppDatabase(ctx.db, app.id);
  if (!database?.url) return {};
  const url = ctx.keyRing.open(database.url, sealContext.databaseUrl(app.id));
  const named = [...serviceDatabases(results)].map(([service, name]) => {
    const own = new URL(url);
    own.pathname = `/${encodeURIComponent(name)}`;
    return [serviceVariable(service), own.href];
  });
  return { DATABASE_URL: url, ...Object.fromEntries(named) };
}

/** The port that the routed container listens on. */
export async function portToRoute(input: StepInput): Promise<number> {
  const { ctx, claim } = input;
  if (claim.targetReleaseId === undefined) return buildResult(input).port;
  return (await readTargetRelease(ctx.db, claim.targetReleaseId)).port;
}

function buildResult({ results }: StepInput) {
  const { commit_sha, framework, port, image_digest, memory_bytes, cpu_millis, command } = results.clone_build ?? {};
  if (typeof commit_sha !== "string" || typeof framework !== "string") throw incomplete();
  if (typeof port !== "number" || typeof image_digest !== "string") throw incomplete();
  const runs = {
    memoryBytes: typeof memory_bytes === "number" ? memory_bytes : undefined,
    cpuMillis: typeof cpu_millis === "number" ? cpu_millis : undefined,
    command: Array.isArray(command) ? command.map(String) : undefined,
  };
  return { commit_sha, framework, port, image_digest, runs };
}

/**
 * Returns the databases that provision_db has made for the commit's spec file: databases by the names of the services.
 */
export function serviceDatabases(results: StepInput["results"]): Map<string, string> {
  const { services } = results.provision_db ?? {};
  if (!Array.isArray(services)) return new Map();
  return new Map(services.map(([service, database]: [unknown, unknown]) => [String(service), String(database)]));
}

function incomplete(): SvcError {
  return new SvcError("internal", "The build's result is missing.");
}
