import { SvcError } from "@svc/shared/errors.ts";
import { BASE_IMAGES, MADE_IMAGES, PYTHON_WHEELS } from "@svc/shared/frameworks/base-images.ts";
import type { BuildOutput } from "@svc/shared/frameworks/framework.ts";
import type { FailedStep } from "./build-log.ts";

export interface BuildFailure {
  /** The engine's words. */
  message: string;
  step: FailedStep | undefined;
  /** The memory that builds may use, when the engine enforces it. */
  memoryLimit: string | undefined;
  outputs: readonly BuildOutput[];
}

/** The length of a step's error in characters; the whole output is kept beside it. */
const DETAIL_LENGTH_MAX = 2000;

/** The engine's message quotes the instruction, which may be as long as its author likes; it says what failed last. */
const MESSAGE_CHARACTERS_MAX = 8 * 1024;

/** Looking for a reason in a line takes longer the longer it is. */
const LINE_CHARACTERS_MAX = 1000;

/** Turns a failed build into the sentence that its user needs: what failed, with which status, and what to do. */
export function explainBuildFailure(failure: BuildFailure): SvcError {
  const lastLines = failure.step?.lastLines.map((line) => line.slice(0, LINE_CHARACTERS_MAX)).join("\n") ?? "";
  const message = hideHost(failure.message.slice(0, MESSAGE_CHARACTERS_MAX));
  if (/no space left on device|disk quota exceeded/i.test(`${message}\n${lastLines}`)) return diskFull(message);
  const output = failure.outputs.find(({ path }) => isMissing(path, message));
  if (output) return outputMissing(output, message);
  const image = unavailableImage(message, failure.step);
  if (image !== undefined) return imageUnavailable(image, message);
  const exitCode = /exit code: (\d+)/.exec(message)?.[1];
  if (exitCode === "137") return outOfMemory(failure, message);
  return buildFailed(failure.step, exitCode, message, lastLines);
}

/** The engine's messages name its own folders. */
function hideHost(message: string): string {
  return message.replaceAll(/\/\S*?buildkit-mount\d+\/?/g, "").replaceAll(/\/var\/lib\/docker\/\S*/g, "the context");
}

function diskFull(cause: string): SvcError {
  const advice = "Make the image smaller, or have whoever runs this service free space on the server.";
  return new SvcError("disk_full", `The server's disk was full before the build was done. ${advice}`, { cause });
}

/** The engine's words about what a COPY names: `"/app/dist" not found`, since Docker 23 `"/app/dist": not found`. */
function isMissing(path: string, message: string): boolean {
  return [`"${path}" not found`, `"${path}": not found`].some((words) => message.includes(words));
}

function outputMissing({ path, rule }: BuildOutput, cause: string): SvcError {
  return new SvcError(
    "build_failed",
    `The build ended well, but made no ${path.replace(/^\/app\//, "")}. It is expected there by this rule: ${rule}. Have the ` +
      "build write it there, give the `framework` that the app really has, or add a Dockerfile.",
    { cause },
  );
}

/** The name of the image that could not be fetched, if that is what went wrong. */
function unavailableImage(message: string, step: FailedStep | undefined): string | undefined {
  const wanted = /^\[internal\] load metadata for (\S+)|^resolve image config for (\S+)|\] FROM (\S+)/.exec(
    step?.name ?? "",
  );
  const isPull = /failed to (?:resolve|do request|fetch)|not found|denied|manifest unknown|no such host|i\/o timeout/i;
  if (wanted && isPull.test(message)) return shortName((wanted[1] ?? wanted[2] ?? wanted[3])!);
  const named = /(?:failed to resolve source metadata for|pull access denied for|manifest for) ([\w./:@-]+)/.exec(
    message,
  );
  return named ? shortName(named[1]!.replace(/[:,]$/, "")) : undefined;
}

/** Returns the name as people write it: without the default registry and digest. */
function shortName(image: string): string {
  return image.replace(/^docker\.io\/(?:library\/)?/, "").replace(/@sha256:.*$/, "");
}

export function imageUnavailable(image: string, cause: unknown): SvcError {
  const advice = imageAdvice(image);
  return new SvcError("base_image_unavailable", `The image ${image} could not be fetched. ${advice}`, { cause });
}

/** Says what to do about an image that is not there. */
export function imageAdvice(image: string): string {
  if (MADE_IMAGES.includes(image)) {
    return `If this server cannot reach the registry, whoever runs this service can make it there with \`npm run base-images -- ${image}\`.`;
  }
  return (
    "Check its name. If this server cannot reach the registry, use an image that it has " +
    `(whoever runs this service can make these with \`npm run base-images -- NAME\`: ${MADE_IMAGES.join(", ")}).`
  );
}

function outOfMemory({ step, memoryLimit }: BuildFailure, cause: string): SvcError {
  const limit = memoryLimit === undefined ? "" : ` Builds may use ${memoryLimit}.`;
  return new SvcError(
    "build_out_of_memory",
    `The build was killed in ${instruction(step)}, as the system does when memory runs out.${limit} ` +
      "Let it use less (for Node: `--max-old-space-size`, fewer parallel workers).",
    { cause },
  );
}

const PIP_FOUND_NONE = /^ERROR: (?:Could not find a version that satisfies|No matching distribution found for) /m;

const WHEELS_ADVICE =
  "The Python image of this server has a fixed set of packages, and pip in it looks nowhere else: " +
  `${PYTHON_WHEELS.packages.join(", ")}, and what these need. Use these, without versions, or have whoever runs this service ` +
  `give it the official image ${BASE_IMAGES.python}.`;

function buildFailed(
  step: FailedStep | undefined,
  exitCode: string | undefined,
  message: string,
  lastLines: string,
): SvcError {
  if (exitCode === undefined) {
    return new SvcError("build_failed", `The build failed: ${withoutPrefix(message)}.`, { cause: message });
  }
  const hint = step?.isWithoutIndex && PIP_FOUND_NONE.test(lastLines) ? ` ${WHEELS_ADVICE}` : "";
  const head = `The build failed in ${instruction(step)} with exit code ${exitCode}.${hint}`;
  const text = lastLines === "" ? head : `${head} Its last lines:\n${lastLines}`;
  return new SvcError("build_failed", text.slice(0, DETAIL_LENGTH_MAX), { cause: message });
}

/** "RUN npm ci" of "[app 3/4] RUN npm ci", at most a line of it. */
function instruction(step: FailedStep | undefined): string {
  const text = step?.name.replace(/^\[[^\]]*\]\s*/, "").replaceAll(/--mount=\S+\s*/g, "") ?? "one of its steps";
  return text.length <= 200 ? `\`${text}\`` : `\`${text.slice(0, 200)}…\``;
}

/** BuildKit says what failed last. */
function withoutPrefix(message: string): string {
  return message
    .replaceAll(/failed to solve with frontend [\w.]+: |failed to solve: |rpc error: code = \w+ desc = /g, "")
    .replaceAll(/failed to create LLB definition: |failed to solve with frontend [\w.]+: /g, "")
    .trim()
    .replace(/\.$/, "")
    .slice(0, 500);
}
