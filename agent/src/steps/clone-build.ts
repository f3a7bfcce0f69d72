import { randomBytes, X509Certificate } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import { isPublicKey } from "@svc/shared/frameworks/build-env.ts";
import { planBuild } from "@svc/shared/frameworks/plan-build.ts";
import type { BuildPlan } from "@svc/shared/frameworks/framework.ts";
import type { CloneBuildSpec } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { isId } from "@svc/shared/ids.ts";
import { isCidr } from "@svc/shared/net/public-address.ts";
import { checkoutFiles } from "@svc/shared/checkout-files.ts";
import { clonesFolder } from "../clones.ts";
import { checkGitCredentials } from "../domain/git-credentials.ts";
import type { GitCredentials, OutboundPolicy } from "../ports.ts";
import type { StepContext, StepDefinition } from "./step.ts";

/** What is left of the message once it is checked. */
interface CloneBuild {
  repoUrl: string;
  ref: string | undefined;
  framework: string | undefined;
  port: number | undefined;
  buildEnv: Readonly<Record<string, string>>;
  outbound: OutboundPolicy;
  credentials: GitCredentials | undefined;
  timeLimitSeconds: number;
}

/** Fetches the commit and builds its image. The image is found again by its labels; the checkout does not outlive a run. */
export const cloneBuild: StepDefinition<CloneBuildSpec> = {
  run: async (ctx, message) => {
    const spec = checked(ctx, message);
    const folder = cloneFolder(ctx);
    // Not the same for each run: a git that a killed agent left behind may still write into its own.
    const directory = join(folder, randomBytes(8).toString("hex"), "source");
    const limit = timeLimit(spec.timeLimitSeconds);
    const signal = AbortSignal.any([ctx.signal, limit.signal]);
    try {
      const { commitSha } = await checkOut({ ...ctx, signal }, spec, directory);
      const plan = decide(ctx, spec, directory);
      ctx.output.progress("building the image");
      const { dockerfile } = plan;
      const { app, deployId, output } = ctx;
      const request = { app, deployId, directory, dockerfile, buildArgs: spec.buildEnv, output, signal };
      const { imageDigest } = await ctx.engine.build(request);
      const { framework, port } = plan;
      return { case: "cloneBuild", value: { commitSha, framework, port, imageDigest } };
    } finally {
      limit.clear();
      await remove(folder);
    }
  },

  undo: async (ctx) => {
    requireIds(ctx);
    await remove(cloneFolder(ctx));
    await ctx.engine.removeImages(ctx.app.id, ctx.deployId);
  },
};

/** Removes what runs that died have left: sources, and keys to repositories. For the start, when nothing runs. */
export function sweepClones(dataDirectory: string): Promise<void> {
  return remove(join(dataDirectory, "clones"));
}

async function checkOut(ctx: StepContext, spec: CloneBuild, directory: string): Promise<{ commitSha: string }> {
  const { repoUrl, ref, outbound, credentials } = spec;
  ctx.output.log(`Fetching ${ref ?? "the default branch"} of ${repoUrl}`);
  const { output, signal } = ctx;
  const result = await ctx.git.checkout({ repoUrl, ref, directory, outbound, credentials, output, signal });
  ctx.output.log(`Checked out ${result.commitSha}`);
  return result;
}

function decide(ctx: StepContext, spec: CloneBuild, directory: string): BuildPlan {
  const buildEnvKeys = Object.keys(spec.buildEnv);
  const plan = planBuild(checkoutFiles(directory), spec.framework, {
    appId: ctx.app.id,
    port: spec.port,
    buildEnvKeys,
    build: undefined,
    start: undefined,
  });
  ctx.output.log(`${plan.framework}: ${plan.reason}; port ${plan.port}`);
  for (const note of plan.notes) ctx.output.log(`Note: ${note}`);
  return plan;
}

/**
 * Named after the deploy, so that a run that died leaves nothing that the next one, or undo, does not find. The
 * checkouts lie inside it, with what git needs beside.
 */
function cloneFolder({ dataDirectory, deployId }: Pick<StepContext, "dataDirectory" | "deployId">): string {
  return join(clonesFolder(dataDirectory), deployId);
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 3 });
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

/** Trusts nothing: the address and the ref are checked once more where git is called. @throws SvcError invalid_request */
function checked(ctx: StepContext, message: CloneBuildSpec): CloneBuild {
  requireIds(ctx);
  const { port, timeLimitSeconds, buildEnv } = message;
  if (port > 65535) throw invalid(`port is ${port}; allowed is 1 to 65535, or 0 to detect it.`);
  if (timeLimitSeconds < 10 || timeLimitSeconds > 7200) {
    throw invalid(`time_limit_seconds is ${timeLimitSeconds}; allowed is 10 to 7200.`);
  }
  const key = Object.keys(buildEnv).find((name) => !isPublicKey(name));
  if (key !== undefined) throw invalid(`build_env holds ${JSON.stringify(key)}, which has no public prefix.`);
  checkValues(buildEnv);
  return {
    repoUrl: message.repoUrl,
    ref: message.ref === "" ? undefined : message.ref,
    framework: message.framework === "" ? undefined : message.framework,
    port: port === 0 ? undefined : port,
    buildEnv,
    outbound: message.platformHosted ? platformPolicy(message) : outboundPolicy(message.outbound),
    credentials: checkGitCredentials(message.credentials),
    timeLimitSeconds,
  };
}

/** They are part of the build call's address line, which the engine takes up to a megabyte of. */
const BUILD_ENV_BYTES_MAX = { value: 8 * 1024, all: 64 * 1024 };

function checkValues(buildEnv: Readonly<Record<string, string>>): void {
  let all = 0;
  for (const [key, value] of Object.entries(buildEnv)) {
    const bytes = Buffer.byteLength(value);
    all += bytes;
    if (value.includes("\0")) throw invalid(`the build_env value of ${key} holds a NUL, which no process can receive.`);
    if (bytes > BUILD_ENV_BYTES_MAX.value) {
      throw invalid(`the build_env value of ${key} has ${bytes} bytes; allowed are ${BUILD_ENV_BYTES_MAX.value}.`);
    }
  }
  if (all > BUILD_ENV_BYTES_MAX.all) {
    throw invalid(`the values of build_env have ${all} bytes; allowed are ${BUILD_ENV_BYTES_MAX.all} in all.`);
  }
}

function requireIds({ app, deployId }: Pick<StepContext, "app" | "deployId">): void {
  if (!isId(app.id)) throw invalid("app.id is not a UUID.");
  if (!isId(deployId)) throw invalid("deploy_id is not a UUID.");
}

function outboundPolicy(message: CloneBuildSpec["outbound"]): OutboundPolicy {
  const { allowCidrs = [], caPem = "" } = message ?? {};
  const cidr = allowCidrs.find((one) => !isCidr(one));
  if (cidr !== undefined) throw invalid(`outbound.allow_cidrs holds ${JSON.stringify(cidr)}, which is not a range.`);
  if (caPem.trim() !== "" && !isCertificates(caPem)) throw invalid("outbound.ca_pem is not a list of certificates.");
  return { allowCidrs, caPem };
}

/** The control plane's own git host may be anywhere, a private network included; the token shows that it is meant. */
function platformPolicy({ outbound, credentials }: CloneBuildSpec): OutboundPolicy {
  if (credentials?.method.case !== "token") throw invalid("platform_hosted is set, but there is no token.");
  return { ...outboundPolicy(outbound), allowCidrs: ["0.0.0.0/0", "::/0"] };
}

function isCertificates(pem: string): boolean {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    return blocks.length > 0 && blocks.every((block) => new X509Certificate(block).raw.length > 0);
  } catch {
    return false;
  }
}

function invalid(message: string): SvcError {
  return new SvcError("invalid_request", `The build was not started: ${message}`);
}
