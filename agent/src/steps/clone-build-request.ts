import { ENV_VALUE_BYTES_MAX, isPublicKey, PUBLIC_ENV_BYTES_MAX } from "@svc/shared/rules/env-key.ts";
import { PORT } from "@svc/shared/rules/port.ts";
import type { CloneBuildSpec } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { AppSettings } from "../build/build-settings.ts";
import type { StepContext } from "../runner/step.ts";
import { checkSource, invalidBuild, type Source } from "../source/source.ts";

/** A CloneBuildSpec of the wire whose every field was checked. */
interface CloneBuildRequest {
  source: Source;
  buildArgs: Readonly<Record<string, string>>;
  settings: AppSettings;
}

/** @throws SvcError invalid_request */
export function checkCloneBuild(ctx: StepContext, message: CloneBuildSpec): CloneBuildRequest {
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
