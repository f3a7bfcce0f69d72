import { randomBytes } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Transaction } from "kysely";
import type { RunStepRequestSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { StepSuccess } from "@svc/shared/gen/svc/agent/v1/events_pb.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { Database } from "../../platform/database/schema.ts";
import {
  ensureAppDatabase,
  forgetUnmadeDatabase,
  recordCommit,
  recordDatabase,
} from "../inputs/pipeline-inputs.store.ts";
import { databaseNameOf } from "../inputs/database-name.ts";
import { isPublicKey } from "@svc/shared/rules/env-key.ts";
import { noteBuild, noteDatabase } from "../../apps/status/app-deploys.ts";
import { hostsOfApp } from "../../domains/hosts-of-app.ts";
import { POSTGRES_MAJOR_DEFAULT } from "@svc/shared/rules/postgres-versions.ts";
import { FETCH_SECONDS_MAX } from "@svc/shared/rules/step-limits.ts";
import type { StepName } from "@svc/shared/rules/steps.ts";
import { sealContext } from "../../ports.ts";
import { capsMax, cloneSource, outboundPolicy } from "../inputs/clone-source.ts";
import type { StepInput } from "./context.ts";
import { portToRoute, releaseToRun, serviceDatabases } from "./release-to-run.ts";

export type StepSpec = NonNullable<MessageInitShape<typeof RunStepRequestSchema>["spec"]>;

export interface PipelineStep {
  /** Whether the agent is asked at all; a step that is not needed is `skipped`. */
  isNeeded(input: StepInput): boolean;
  /**
   * Makes the request to the agent; undefined when the step turns out not to be needed. May write what must be known
   * before the effect (a password, the release).
   */
  spec(input: StepInput): Promise<StepSpec | undefined>;
  /**
   * Stores what came back, in the transaction that ends the step; returns what later steps may read: no secrets. Undefined
   * when the step has turned out not to be needed.
   */
  onSuccess(
    trx: Transaction<Database>,
    input: StepInput,
    success: StepSuccess,
  ): Promise<Record<string, unknown> | undefined>;
}

const provisionDb: PipelineStep = {
  // A rollback's release has its database, unless everything of the app was taken down meanwhile. For a deploy, the
  // commit's spec file may ask for one, which only the agent can read.
  isNeeded({ claim, app }) {
    if (claim.kind === "move") return app.databaseVersion !== undefined;
    return claim.kind === "deploy" || (app.needsDatabase && app.softStopped);
  },
  async spec(input) {
    const { ctx, app } = input;
    const isMade = app.databaseVersion !== undefined;
    const source = input.claim.kind === "deploy" ? await sourceAhead(input) : undefined;
    if (!isMade && !source && !app.needsDatabase) return undefined;
    const context = sealContext.databasePassword(app.id);
    const database = await ensureAppDatabase(ctx.db, app.id, {
      version: POSTGRES_MAJOR_DEFAULT,
      role: databaseNameOf(app.name),
      password: ctx.keyRing.seal(randomBytes(24).toString("base64url"), context),
    });
    const value = {
      version: database.version,
      databaseName: databaseNameOf(app.name),
      role: database.role,
      password: ctx.keyRing.open(database.password, context),
      wanted: app.needsDatabase,
      made: isMade,
      ...(source && { source }),
    };
    return { case: "provisionDb", value };
  },
  async onSuccess(trx, { ctx, app }, { output }) {
    if (output.case !== "provisionDb") throw unexpected(output.case);
    const { notNeeded, databaseUrl, databaseName: name, version, services } = output.value;
    if (notNeeded) {
      await forgetUnmadeDatabase(trx, app.id);
      return undefined;
    }
    const url = ctx.keyRing.seal(databaseUrl, sealContext.databaseUrl(app.id));
    await recordDatabase(trx, app.id, { url, version: version || POSTGRES_MAJOR_DEFAULT });
    await noteDatabase(trx, app.id, name);
    return { database_name: name, services: services.map(({ service, databaseName }) => [service, databaseName]) };
  },
};

/**
 * Returns the source that clone_build will fetch, without what only a build needs; undefined when clone_build is to
 * report that it is missing.
 */
async function sourceAhead({ ctx, claim, app, inputs }: StepInput) {
  const source = await cloneSource(ctx, app.ownerId, inputs).catch((error: unknown) => {
    if (error instanceof SvcError && error.code === "repository_not_found") return undefined;
    throw error;
  });
  return (
    source && {
      ...source,
      ref: claim.ref ?? "",
      root: app.root ?? "",
      ...capsMax(ctx, app.tier),
      outbound: outboundPolicy(ctx),
      timeLimitSeconds: Math.min(ctx.timing.buildSeconds, FETCH_SECONDS_MAX),
    }
  );
}

const cloneBuild: PipelineStep = {
  // A rollback never builds again. A move carries the app in the place of this step.
  isNeeded: ({ claim }) => claim.kind !== "rollback",
  async spec({ ctx, claim, app, inputs, results }) {
    const value = {
      ...(await cloneSource(ctx, app.ownerId, inputs)),
      ref: claim.ref ?? "",
      root: app.root ?? "",
      framework: app.framework ?? "",
      port: app.port ?? 0,
      // What may be known while an image is built.
      buildEnv: Object.fromEntries(Object.entries(inputs.env).filter(([key]) => isPublicKey(key))),
      outbound: outboundPolicy(ctx),
      timeLimitSeconds: ctx.timing.buildSeconds,
      ...capsMax(ctx, app.tier),
      databaseVersion: app.databaseVersion ?? "",
      databaseWanted: app.needsDatabase,
      services: [...serviceDatabases(results).keys()],
    };
    return { case: "cloneBuild", value };
  },
  async onSuccess(trx, { claim }, { output }) {
    if (output.case !== "cloneBuild") throw unexpected(output.case);
    const { commitSha, framework, port, imageDigest, memoryBytes, cpuMillis, command } = output.value;
    // An agent of an older version has told it of no deploy before its build.
    await recordCommit(trx, claim.deployId, commitSha);
    await noteBuild(trx, claim.appId, { framework, port });
    return {
      commit_sha: commitSha,
      framework,
      port,
      image_digest: imageDigest,
      ...(memoryBytes > 0n && { memory_bytes: Number(memoryBytes) }),
      ...(cpuMillis > 0 && { cpu_millis: cpuMillis }),
      ...(command.length > 0 && { command }),
    };
  },
};

/** Nothing of an app without a release is started when it moves. */
const hasRelease = ({ claim }: StepInput): boolean => claim.kind !== "move" || claim.targetReleaseId !== undefined;

const deployContainer: PipelineStep = {
  isNeeded: hasRelease,
  spec: async (input) => ({ case: "deployContainer", value: await releaseToRun(input) }),
  async onSuccess(_trx, _input, { output }) {
    if (output.case !== "deployContainer") throw unexpected(output.case);
    return { container_id: output.value.containerId, upstream: output.value.upstream };
  },
};

const proxyRoute: PipelineStep = {
  isNeeded: hasRelease,
  async spec(input) {
    const hosts = await hostsOfApp(input.ctx.db, input.app, input.ctx.policy.appsDomain);
    // A rollback leaves the release that served before: nothing goes back to that by itself. A move has none to go back to.
    const watched = input.claim.kind === "deploy";
    return { case: "proxyRoute", value: { ...hosts, port: await portToRoute(input), watched } };
  },
  async onSuccess(_trx, _input, { output }) {
    if (output.case !== "proxyRoute") throw unexpected(output.case);
    return { hosts: output.value.hosts, upstream: output.value.upstream };
  },
};

/** The pipeline's steps, in the order of their names on the wire. */
export const PIPELINE: Readonly<Record<StepName, PipelineStep>> = {
  provision_db: provisionDb,
  clone_build: cloneBuild,
  deploy_container: deployContainer,
  proxy_route: proxyRoute,
};

function unexpected(outputCase: string | undefined): SvcError {
  return new SvcError("internal", "The agent answered with the result of another step.", { cause: outputCase });
}
