import { randomBytes } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Transaction } from "kysely";
import type { RunStepRequestSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { StepSuccess } from "@svc/shared/gen/svc/agent/v1/events_pb.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { Database } from "../db/schema.ts";
import { ensureAppDatabase, recordBuild, recordDatabaseUrl } from "../db/pipeline-inputs.ts";
import { databaseNameOf } from "../domain/database-name.ts";
import { publicBuildEnv } from "../domain/runtime-env.ts";
import { listDomainRoutes } from "../db/domains.ts";
import { hostsToRoute } from "../domain/custom-domain.ts";
import type { StepName } from "../domain/deploy.ts";
import { sealContext } from "../ports.ts";
import { cloneSource } from "./clone-source.ts";
import type { PipelineContext } from "./context.ts";
import { portToRoute, releaseToRun } from "./release.ts";
import { openEnv } from "./secrets.ts";
import type { StepInput } from "./step-input.ts";

export type StepSpec = NonNullable<MessageInitShape<typeof RunStepRequestSchema>["spec"]>;

export interface PipelineStep {
  /** A step that is not needed is `skipped`. */
  isNeeded(input: StepInput): boolean;
  /** What the agent is asked to do. May write what must be known before the effect (a password, the release). */
  spec(input: StepInput): Promise<StepSpec>;
  /** Stores what came back, in the transaction that ends the step; returns what later steps may read: no secrets. */
  onSuccess(trx: Transaction<Database>, input: StepInput, success: StepSuccess): Promise<Record<string, unknown>>;
  /** The backstop of the control plane, above the agent's own limit, in milliseconds. */
  limitMs(ctx: PipelineContext): number;
}

const MINUTE_MS = 60_000;
/** PostgreSQL's default version (specification, Deploy spec file). */
const DATABASE_VERSION = "16";

const provisionDb: PipelineStep = {
  // What a rollback goes back to has its database, unless everything of the app was taken down meanwhile.
  isNeeded: ({ claim, app }) => app.needsDatabase && (claim.targetReleaseId === undefined || app.softStopped),
  async spec({ ctx, app }) {
    const context = sealContext.databasePassword(app.id);
    const database = await ensureAppDatabase(ctx.db, app.id, {
      version: DATABASE_VERSION,
      role: databaseNameOf(app.name),
      password: ctx.keyRing.seal(randomBytes(24).toString("base64url"), context),
    });
    const value = {
      version: database.version,
      databaseName: databaseNameOf(app.name),
      role: database.role,
      password: ctx.keyRing.open(database.password, context),
    };
    return { case: "provisionDb", value };
  },
  async onSuccess(trx, { ctx, app }, { output }) {
    if (output.case !== "provisionDb") throw unexpected(output.case);
    const url = ctx.keyRing.seal(output.value.databaseUrl, sealContext.databaseUrl(app.id));
    await recordDatabaseUrl(trx, app.id, url, output.value.databaseName);
    return { database_name: output.value.databaseName };
  },
  limitMs: () => 6 * MINUTE_MS,
};

const cloneBuild: PipelineStep = {
  // A rollback never builds again.
  isNeeded: ({ claim }) => claim.targetReleaseId === undefined,
  async spec({ ctx, claim, app }) {
    const value = {
      ...(await cloneSource(ctx, app)),
      ref: claim.ref ?? "",
      framework: app.framework ?? "",
      port: app.port ?? 0,
      buildEnv: publicBuildEnv(await openEnv(ctx, app.id)),
      outbound: { allowCidrs: [...ctx.policy.outboundAllowCidrs], caPem: ctx.policy.outboundCaPem },
      timeLimitSeconds: ctx.timing.buildSeconds,
    };
    return { case: "cloneBuild", value };
  },
  async onSuccess(trx, { claim }, { output }) {
    if (output.case !== "cloneBuild") throw unexpected(output.case);
    const { commitSha, framework, port, imageDigest } = output.value;
    await recordBuild(trx, claim, { commitSha, framework, port });
    return { commit_sha: commitSha, framework, port, image_digest: imageDigest };
  },
  limitMs: (ctx) => ctx.timing.buildSeconds * 1000 + 2 * MINUTE_MS,
};

const deployContainer: PipelineStep = {
  isNeeded: () => true,
  async spec(input) {
    const { ctx, app } = input;
    const { memoryBytes, cpuMillis } = ctx.policy.limitsOf(app.tier);
    const { name, imageDigest, port, env } = await releaseToRun(input);
    const value = {
      imageDigest,
      port,
      env,
      memoryBytes: BigInt(memoryBytes),
      cpuMillis,
      release: name,
      probeSeconds: ctx.timing.probeSeconds,
    };
    return { case: "deployContainer", value };
  },
  async onSuccess(_trx, _input, { output }) {
    if (output.case !== "deployContainer") throw unexpected(output.case);
    return { container_id: output.value.containerId, upstream: output.value.upstream };
  },
  limitMs: () => 4 * MINUTE_MS,
};

const proxyRoute: PipelineStep = {
  isNeeded: () => true,
  async spec(input) {
    const domains = await listDomainRoutes(input.ctx.db, input.app.id);
    const hosts = hostsToRoute(`${input.app.name}.${input.ctx.policy.appsDomain}`, domains);
    return { case: "proxyRoute", value: { ...hosts, port: await portToRoute(input) } };
  },
  async onSuccess(_trx, _input, { output }) {
    if (output.case !== "proxyRoute") throw unexpected(output.case);
    return { hosts: output.value.hosts, upstream: output.value.upstream };
  },
  limitMs: () => 3 * MINUTE_MS,
};

/** The pipeline, as data; the order is domain/deploy.ts's. */
export const PIPELINE: Readonly<Record<StepName, PipelineStep>> = {
  provision_db: provisionDb,
  clone_build: cloneBuild,
  deploy_container: deployContainer,
  proxy_route: proxyRoute,
};

function unexpected(outputCase: string | undefined): SvcError {
  return new SvcError("internal", "The agent answered with the result of another step.", { cause: outputCase });
}
