import { dirname, join } from "node:path";
import { checkoutFiles, folderInside } from "@svc/shared/frameworks/repository/checkout-files.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { CloneBuildSpec } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { decideBuild, type AppSettings, type Decision } from "../build/build-settings.ts";
import { timeLimit } from "../platform/time-limit.ts";
import { checkOut, removeCheckouts } from "../source/checkout.ts";
import { requireIds } from "../source/source.ts";
import { findAppFolder } from "../source/spec-file.ts";
import type { StepContext, StepDefinition } from "../runner/step.ts";
import { checkCloneBuild } from "./clone-build-request.ts";

/** Fetches the commit and builds its image. The image is found again by its labels; the checkout does not outlive a run. */
export const cloneBuild: StepDefinition<CloneBuildSpec> = {
  run: async (ctx, message) => {
    const { source, buildArgs, settings } = checkCloneBuild(ctx, message);
    const limit = timeLimit(source.timeLimitSeconds, timedOut(source.timeLimitSeconds));
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
        copies: decision.copies ?? 0,
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

function timedOut(seconds: number): SvcError {
  return new SvcError(
    "build_timed_out",
    `Fetching and building took longer than ${seconds} seconds and was ended. ` +
      "The end of the output shows what it was doing; a command that waits for input or never ends is the usual reason.",
  );
}
