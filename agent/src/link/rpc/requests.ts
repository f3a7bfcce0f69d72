import { timestampDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { isAppName } from "@svc/shared/rules/app-name.ts";
import { SOURCE_SECONDS } from "@svc/shared/rules/step-limits.ts";
import { SvcError } from "@svc/shared/errors.ts";
import {
  LogSource,
  type AppRef as AppMessage,
  type CertificatePolicy as PolicyMessage,
  type LockRef as LockMessage,
  type RunStepRequest,
  type SearchLogsRequest,
  type Step,
  type StreamLogsRequest,
  type TakeLockRequest,
} from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { requireCertificatePolicy, type CertificatePolicy } from "../../edge/certificates/certificate-policy.ts";
import type { LockRef, LockScope } from "../../runner/deploy-lock.ts";
import type { LogSearch } from "../../log-store/search.ts";
import { LogQueryError, parseLogQuery, type LogQuery } from "@svc/shared/rules/log-query/log-query.ts";
import type { LogKind } from "@svc/shared/rules/log-query/log-query-hints.ts";
import { stepNameOf } from "@svc/shared/rules/step-on-wire.ts";
import type { StepName } from "@svc/shared/rules/steps.ts";
import type { FormerLogOf } from "../../engine/logs/former-logs.ts";
import type { OwnedApp } from "../../ports.ts";
import type { RunRequest, StepSpec } from "../../runner/step-runner.ts";

/**
 * Requests as the agent's own types. Nothing that was sent is trusted: ids become labels, paths and volume names. The
 * fields of a step's spec are the step's to validate. Everything here throws SvcError invalid_request.
 */

export function toAppRef(app: AppMessage | undefined): OwnedApp {
  if (!app) throw invalid("app is missing");
  if (!isAppName(app.name)) throw invalid(`app.name is ${quote(app.name)}; it has to be an RFC 1123 label`);
  const id = toId("app.id", app.id);
  return { id, name: app.name, ownerId: app.ownerId === "" ? id : toId("app.owner_id", app.ownerId) };
}

export function toLockRef(lock: LockMessage | undefined): LockRef {
  if (!lock) throw invalid("lock is missing");
  if (lock.attempt < 1) throw invalid("lock.attempt is 0; attempts begin at 1");
  return { deployId: toId("lock.deploy_id", lock.deployId), attempt: lock.attempt };
}

/** The move that asks for something, if one does. */
export function toMove(lock: LockMessage | undefined): LockRef | undefined {
  return lock && toLockRef(lock);
}

export function toLockScope({ app, rollback }: TakeLockRequest): LockScope {
  if (!app && rollback) throw invalid("app is missing; a rollback holds its app alone");
  return { appId: app && toAppRef(app).id, isRollback: rollback };
}

/** Undefined: the log of the container that serves. */
export function toFormerLogOf(request: StreamLogsRequest): FormerLogOf | undefined {
  const { deployId, release, follow, source } = request;
  if (deployId === "" && release === "") return undefined;
  if (deployId !== "" && release !== "") throw invalid("deploy_id and release are both given; give one of them");
  if (follow) throw invalid("follow is set; a log of a deploy or release is read to its end");
  if (source === LogSource.ACCESS) throw invalid("source is access; requests are not told apart by deploy or release");
  return deployId === "" ? { release } : { deployId: toId("deploy_id", deployId) };
}

export function toLogSearch({ lines, since, until, query, source }: SearchLogsRequest): LogSearch {
  if (!since || !until) throw invalid("since or until is missing");
  const kind = source === LogSource.ACCESS ? "requests" : "lines";
  return {
    lines: toWithin("lines", lines, { min: 1, max: 500 }),
    since: toTime("since", since),
    until: toTime("until", until),
    query: toLogQuery(query, kind),
  };
}

function toLogQuery(query: string, kind: LogKind): LogQuery {
  try {
    return parseLogQuery(query, kind);
  } catch (error) {
    if (error instanceof LogQueryError) throw invalid(error.message.replace(/\.$/, ""));
    throw error;
  }
}

function toTime(field: string, time: Timestamp): Date {
  const date = timestampDate(time);
  if (Number.isNaN(date.getTime())) throw invalid(`${field} is no time`);
  return date;
}

export function toId(field: string, value: string): string {
  if (!isId(value)) throw invalid(`${field} is ${quote(value)}; it has to be a UUID in lower case`);
  return value;
}

export function toWithin(field: string, value: number, { min, max }: { min: number; max: number }): number {
  if (value >= min && value <= max) return value;
  throw invalid(`${field} is ${value}; it has to be from ${min} to ${max}`);
}

export function toStepName(step: Step): StepName {
  const name = stepNameOf(step);
  if (name === undefined) throw invalid(`step is ${step}; this agent knows 1 to 4`);
  return name;
}

export function toRunRequest(request: RunStepRequest): RunRequest & { lock: LockRef } {
  const lock = toLockRef(request.lock);
  return {
    lock,
    deployId: lock.deployId,
    app: toAppRef(request.app),
    run: toWithin("run", request.run, { min: 1, max: 2 }),
    work: toWork(toStepName(request.step), request.spec),
  };
}

export function toCertificatePolicy(message: PolicyMessage | undefined): CertificatePolicy {
  if (!message) throw invalid("policy is missing");
  const { acmeDirectory: directory, acmeCaPem: caPem, acmeEmail: email, internalDomains } = message;
  const { ownCertificatePem: certificatePem, ownKeyPem: keyPem } = message;
  return requireCertificatePolicy({
    acme: directory === "" ? undefined : { directory, caPem, email },
    internalDomains,
    own: certificatePem === "" && keyPem === "" ? undefined : { certificatePem, keyPem },
  });
}

function toWork(step: StepName, { case: given, value: spec }: RunStepRequest["spec"]): StepSpec {
  if (step === "provision_db" && given === "provisionDb") return { step, spec };
  if (step === "clone_build" && given === "cloneBuild") {
    toWithin("clone_build.time_limit_seconds", spec.timeLimitSeconds, SOURCE_SECONDS);
    return { step, spec };
  }
  if (step === "deploy_container" && given === "deployContainer") return { step, spec };
  if (step === "proxy_route" && given === "proxyRoute") return { step, spec };
  throw invalid(`the spec of ${step} is missing; it came with ${given ?? "none"}`);
}

function invalid(what: string): SvcError {
  return new SvcError("invalid_request", `The agent refused the call: ${what}.`);
}

function quote(value: string): string {
  return JSON.stringify(value.slice(0, 100));
}
