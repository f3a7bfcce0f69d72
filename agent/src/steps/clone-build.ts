import { dirname, join } from "node:path";
import { checkoutFiles, folderInside } from "@svc/shared/frameworks/repository/checkout-files.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { ENV_VALUE_BYTES_MAX, isPublicKey, PUBLIC_ENV_BYTES_MAX } from "@svc/shared/rules/env-key.ts";
import { PORT } from "@svc/shared/rules/port.ts";
import type { CloneBuildSpec } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { decideBuild, type AppSettings, type Decision } from "../build/build-settings.ts";
import { checkOut, removeCheckouts } from "../source/checkout.ts";
import { checkSource, invalidBuild, requireIds, type Source } from "../source/source.ts";
import { findAppFolder } from "../source/spec-file.ts";
import type { StepContext, StepDefinition } from "../runner/step.ts";

/** The message, once it is checked. */
interface CloneBuild {
  source: Source;
  buildArgs: Readonly<Record<string, string>>;
  settings: AppSettings;
}

/** Fetches the commit and builds its image. The image is found again by its labels; the checkout does not outlive a run. */
export const cloneBuild: StepDefinition<CloneBuildSpec> = {
  run: async (ctx, message) => {
    const { source, buildArgs, settings } = checked(ctx, message);
    const limit = timeLimit(source.timeLimitSeconds);
    const signal = AbortSignal.any([ctx.signal, limit.signal]);
    try {
      const { directory, commitSha } = await checkOut({ ...ctx, signal }, source);
      const decision = decide(ctx, directory, settings);
      ctx.output.progress("building the image");
      const { dockerfile, framework, port, context = "", outputs = [] } = decision.plan;
      const { app, deployId, output } = ctx;
      const { imageDigest } = await ctx.engine.build({
        app,
        deployId,
        // Planning has found it.
        directory: folderInside(directory, context)!,
        scratch: join(dirname(directory), "build"),
        dockerfile,
        outputs,
        outbound: source.buildOutbound,
        buildArgs,
        output,
        signal,
      });
      const { memoryBytes = 0, cpuMillis = 0 } = decision.caps;
      const command = [...(decision.command ?? [])];
      const value = {
        commitSha,
        framework,
        port,
        imageDigest,
        memoryBytes: BigInt(memoryBytes),
        cpuMillis,
        command,
      };
      return { case: "cloneBuild", value };
    } finally {
      limit.clear();
      await removeCheckouts(ctx);
    }
  },

  undo: async (ctx) => {
    requireIds(ctx);
    await removeCheckouts(ctx);
    await ctx.engine.removeImages(ctx.app.id, ctx.deployId);
  },
};

function decide(ctx: StepContext, directory: string, settings: AppSettings): Decision {
  const files = checkoutFiles(directory);
  const { root, file } = findAppFolder(files, settings.root);
  if (root !== "") ctx.output.log(`Building the folder ${root}`);
  if (file) ctx.output.log(`Read ${file.file}`);
  const decision = decideBuild(ctx.app, files, { root, file }, settings);
  const { framework, reason, port } = decision.plan;
  ctx.output.log(`${framework}: ${reason}; port ${port}`);
  for (const note of decision.notes) ctx.output.log(`Note: ${note}`);
  return decision;
}

function timeLimit(seconds: number): { signal: AbortSignal; clear: () => void } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(timedOut(seconds)), seconds * 1000);
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}

function timedOut(seconds: number): SvcError {
  return new SvcError(
    "build_timed_out",
    `Fetching and building took longer than ${seconds} seconds and was ended. ` +
      "The end of the output shows what it was doing; a command that waits for input or never ends is the usual reason.",
  );
}

/** @throws SvcError invalid_request */
function checked(ctx: StepContext, message: CloneBuildSpec): CloneBuild {
  const source = checkSource(ctx, message);
  const { port, buildEnv } = message;
  if (port > PORT.max) throw invalidBuild(`port is ${port}; allowed is ${PORT.min} to ${PORT.max}, or 0 to detect it.`);
  const key = Object.keys(buildEnv).find((name) => !isPublicKey(name));
  if (key !== undefined) throw invalidBuild(`build_env holds ${JSON.stringify(key)}, which has no public prefix.`);
  checkValues(buildEnv);
  const settings = {
    root: source.root,
    framework: message.framework === "" ? undefined : message.framework,
    port: port === 0 ? undefined : port,
    buildEnvKeys: Object.keys(buildEnv),
    capsMax: source.capsMax,
    databaseVersion: message.databaseVersion === "" ? undefined : message.databaseVersion,
    databaseWanted: message.databaseWanted,
    services: message.services,
  };
  return { source, buildArgs: buildEnv, settings };
}

function checkValues(buildEnv: Readonly<Record<string, string>>): void {
  let all = 0;
  for (const [key, value] of Object.entries(buildEnv)) {
    const bytes = Buffer.byteLength(value);
    all += bytes;
    if (value.includes("\0"))
      throw invalidBuild(`the build_env value of ${key} holds a NUL, which no process can receive.`);
    if (bytes > ENV_VALUE_BYTES_MAX) {
      throw invalidBuild(`the build_env value of ${key} has ${bytes} bytes; allowed are ${ENV_VALUE_BYTES_MAX}.`);
    }
  }
  if (all > PUBLIC_ENV_BYTES_MAX) {
    throw invalidBuild(`the values of build_env have ${all} bytes; allowed are ${PUBLIC_ENV_BYTES_MAX} in all.`);
  }
}
