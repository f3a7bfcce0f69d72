import type { DeployContainerSpec } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { ENV_KEY } from "@svc/shared/rules/env-key.ts";
import { PORT } from "@svc/shared/rules/port.ts";
import { CPU_MILLIS, MEMORY_BYTES, REPLICAS } from "@svc/shared/spec/resources.ts";

/** A DeployContainerSpec of the wire whose every field was checked. */
export interface DeployContainerRequest {
  imageDigest: string;
  port: number;
  env: Readonly<Record<string, string>>;
  memoryBytes: number;
  cpuMillis: number;
  release: string;
  probeSeconds: number;
  /** Takes the place of the image's own; undefined: that one. */
  command: readonly string[] | undefined;
  copies: number;
}

const IMAGE_DIGEST = /^sha256:[0-9a-f]{64}$/;
/** Linux refuses to start a process with a longer `KEY=value` (MAX_ARG_STRLEN, its NUL included). */
const ENV_ENTRY_BYTES_MAX = 128 * 1024 - 1;
/** This is more than a line of a spec file can hold in UTF-8. */
const COMMAND_BYTES_MAX = 32 * 1024;
const RELEASE = /^[^\p{Cc}]{1,128}$/u;

/** Proto: "1 to 60". */
const PROBE_SECONDS = { min: 1, max: 60 };

/** @throws SvcError invalid_request, naming the field; of an env value only its key */
export function checkDeployContainer(spec: DeployContainerSpec): DeployContainerRequest {
  const memoryBytes = Number(spec.memoryBytes);
  if (!IMAGE_DIGEST.test(spec.imageDigest)) {
    throw invalid(`image_digest is ${JSON.stringify(spec.imageDigest)}; allowed is sha256: and 64 hexadecimal digits`);
  }
  if (!RELEASE.test(spec.release)) throw invalid("release must have 1 to 128 characters, none of them a control");
  requireRange("port", spec.port, PORT);
  requireRange("memory_bytes", memoryBytes, MEMORY_BYTES);
  requireRange("cpu_millis", spec.cpuMillis, CPU_MILLIS);
  requireRange("probe_seconds", spec.probeSeconds, PROBE_SECONDS);
  for (const { key, value } of spec.env) checkEnvEntry(key, value);
  const env = Object.fromEntries(spec.env.map(({ key, value }) => [key, value]));
  if (Object.keys(env).length < spec.env.length) throw invalid("env holds a key twice");
  checkCommand(spec.command);
  const copies = spec.copies || REPLICAS.min;
  requireRange("copies", copies, REPLICAS);
  return {
    imageDigest: spec.imageDigest,
    port: spec.port,
    env,
    memoryBytes,
    cpuMillis: spec.cpuMillis,
    release: spec.release,
    probeSeconds: spec.probeSeconds,
    command: spec.command.length === 0 ? undefined : spec.command,
    copies,
  };
}

function checkCommand(words: readonly string[]): void {
  const bytes = Buffer.byteLength(words.join(" "));
  if (bytes > COMMAND_BYTES_MAX) throw invalid(`command has ${bytes} bytes; allowed are ${COMMAND_BYTES_MAX}`);
  if (words.some((word) => word.includes("\0"))) throw invalid("command holds a NUL, which no process can receive");
}

function checkEnvEntry(key: string, value: string): void {
  if (!ENV_KEY.test(key)) throw invalid(`the env key ${JSON.stringify(key)} must match ${ENV_KEY.source}`);
  if (value.includes("\0")) throw invalid(`the env value of ${key} holds a NUL, which no process can receive`);
  if (!value.isWellFormed()) throw invalid(`the env value of ${key} is not valid Unicode`);
  if (Buffer.byteLength(`${key}=${value}`) > ENV_ENTRY_BYTES_MAX) {
    throw invalid(`the env value of ${key} is longer than the ${ENV_ENTRY_BYTES_MAX} bytes that Linux takes`);
  }
}

function requireRange(field: string, value: number, { min, max }: { min: number; max: number }): void {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw invalid(`${field} is ${value}; allowed is ${min} to ${max}`);
  }
}

function invalid(problem: string): SvcError {
  return new SvcError("invalid_request", `The deploy_container step cannot run: ${problem}.`);
}
