import { toSvcError } from "@svc/shared/errors.ts";
import type { CloneBuildSpec, ProvisionDbSpec } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { checkoutFiles } from "@svc/shared/checkout-files.ts";
import { requireWithin } from "@svc/shared/spec/caps.ts";
import { checkProvisionDb } from "../domain/provision-db-request.ts";
import type { ProvisionDbRequest } from "../domain/provision-db-request.ts";
import { DATABASE_HOST, DATABASE_PORT } from "../postgres/container.ts";
import { findDatabaseVersion, provisionDatabase } from "../postgres/provision.ts";
import { fetchAhead, removeCheckouts } from "./checkout.ts";
import { checkSource, requireIds } from "./source.ts";
import { databaseVersion, findAppFolder } from "./spec-file.ts";
import type { StepContext, StepDefinition, StepOutputMessage } from "./step.ts";

/** The app's own PostgreSQL, on its own network, with its own volume. */
export const provisionDb: StepDefinition<ProvisionDbSpec> = {
  async run(ctx, message) {
    const asked = checkProvisionDb(message);
    const version = message.source ? await versionOfFirst(ctx, message, message.source) : asked.version;
    if (version === undefined) return NOT_NEEDED;
    const request = { ...asked, version };
    await provisionDatabase(ctx, request);
    ctx.output.log(`PostgreSQL ${version} is ready with the database ${request.databaseName}.`);
    return {
      case: "provisionDb",
      value: { databaseUrl: databaseUrl(request), databaseName: request.databaseName, version },
    };
  },

  /** A database belongs to the app and not to a deploy: it may hold data, and the next deploy finds it. */
  async undo(ctx) {
    requireIds(ctx);
    await removeCheckouts(ctx);
  },
};

const NOT_NEEDED: StepOutputMessage = { case: "provisionDb", value: { notNeeded: true } };

/** Which version the app's first database is to have; undefined for no database. */
async function versionOfFirst(
  ctx: StepContext,
  { version, wanted }: ProvisionDbSpec,
  message: CloneBuildSpec,
): Promise<string | undefined> {
  const asked = await versionInSource(ctx, message);
  if (!asked.isKnown) return undefined;
  // An earlier run of this step may have made it, from a branch that has moved on, and was canceled before it said so:
  // what is there is finished and known from now on, wanted or not.
  const made = await findDatabaseVersion(ctx);
  if (made !== undefined) return made;
  return asked.version ?? (wanted ? version : undefined);
}

/** What the commit's spec file asks for. What is wrong with the source, clone_build meets too and says so. */
async function versionInSource(
  ctx: StepContext,
  message: CloneBuildSpec,
): Promise<{ isKnown: boolean; version?: string | undefined }> {
  const source = checkSource(ctx, message);
  const limit = AbortSignal.timeout(source.timeLimitSeconds * 1000);
  try {
    const { directory } = await fetchAhead({ ...ctx, signal: AbortSignal.any([ctx.signal, limit]) }, source);
    const { file } = findAppFolder(checkoutFiles(directory), source.root);
    if (file) requireWithin(file.file, file.spec.resources, source.capsMax);
    return { isKnown: true, version: file && databaseVersion(file.spec) };
  } catch (error) {
    ctx.signal.throwIfAborted();
    // A full disk, say, is no other in the next step; what we did not foresee must not hide behind it.
    if (!limit.aborted && toSvcError(error).code === "internal") throw error;
    return { isKnown: false };
  }
}

function databaseUrl({ role, password, databaseName }: ProvisionDbRequest): string {
  const credentials = `${encodeURIComponent(role)}:${encodeURIComponent(password)}`;
  return `postgres://${credentials}@${DATABASE_HOST}:${DATABASE_PORT}/${encodeURIComponent(databaseName)}`;
}
