import { toSvcError } from "@svc/shared/errors.ts";
import type { CloneBuildSpec, ProvisionDbSpec } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { checkoutFiles } from "@svc/shared/frameworks/repository/checkout-files.ts";
import { requireWithin } from "@svc/shared/spec/caps.ts";
import { serviceDatabase } from "@svc/shared/spec/service-databases.ts";
import { checkProvisionDb } from "../database/provision-db-request.ts";
import type { ProvisionDbRequest } from "../database/provision-db-request.ts";
import { DATABASE_HOST, DATABASE_PORT } from "../database/container.ts";
import { findDatabaseVersion, provisionDatabase } from "../database/provision.ts";
import { fetchAhead, removeCheckouts } from "../source/checkout.ts";
import { checkSource, requireIds } from "../source/source.ts";
import { findAppFolder } from "../source/spec-file.ts";
import type { StepContext, StepDefinition, StepOutputMessage } from "../runner/step.ts";

/** The app's own PostgreSQL, on its own network, with its own volume. */
export const provisionDb: StepDefinition<ProvisionDbSpec> = {
  async run(ctx, message) {
    const asked = checkProvisionDb(message);
    const found = message.source ? await servicesInSource(ctx, message.source) : [];
    const version = message.source ? await versionOf(ctx, message, found) : asked.version;
    if (version === undefined) return NOT_NEEDED;
    const { databaseName } = asked;
    const services = (found ?? []).map(({ service }, i) => ({
      service,
      databaseName: i === 0 ? databaseName : serviceDatabase(service),
    }));
    const request = { ...asked, version, further: services.slice(1).map((each) => each.databaseName) };
    await provisionDatabase(ctx, request);
    const names = [databaseName, ...request.further];
    ctx.output.log(
      `PostgreSQL ${version} is ready with the database${names.length > 1 ? "s" : ""} ${names.join(", ")}.`,
    );
    return { case: "provisionDb", value: { databaseUrl: databaseUrl(request), databaseName, version, services } };
  },

  /** A database belongs to the app and not to a deploy: it may hold data, and the next deploy finds it. */
  async undo(ctx) {
    requireIds(ctx);
    await removeCheckouts(ctx);
  },
};

const NOT_NEEDED: StepOutputMessage = { case: "provisionDb", value: { notNeeded: true } };

/** Which version the app's PostgreSQL is to have; undefined for none. @param services undefined when they can't be read */
async function versionOf(
  ctx: StepContext,
  { version, wanted, made: isMade }: ProvisionDbSpec,
  services: readonly Service[] | undefined,
): Promise<string | undefined> {
  if (isMade) return version;
  if (services === undefined) return undefined;
  // An earlier run of this step may have made it, from a branch that has moved on, and was canceled before it said so:
  // what is there is finished and known from now on, wanted or not.
  const made = await findDatabaseVersion(ctx);
  if (made !== undefined) return made;
  return services[0]?.version ?? (wanted ? version : undefined);
}

interface Service {
  /** The service as the spec file names it. */
  service: string;
  /** Major version of its PostgreSQL. */
  version: string;
}

/**
 * Reads the services of the commit's spec file; undefined when the source is wrong, which clone_build meets too and
 * reports.
 */
async function servicesInSource(ctx: StepContext, message: CloneBuildSpec): Promise<Service[] | undefined> {
  const source = checkSource(ctx, message);
  const limit = AbortSignal.timeout(source.timeLimitSeconds * 1000);
  try {
    const { directory } = await fetchAhead({ ...ctx, signal: AbortSignal.any([ctx.signal, limit]) }, source);
    const { file } = findAppFolder(checkoutFiles(directory), source.root);
    if (file) requireWithin(file.file, file.spec.resources, source.capsMax);
    return Object.entries(file?.spec.services ?? {}).map(([service, { version }]) => ({ service, version }));
  } catch (error) {
    ctx.signal.throwIfAborted();
    // A full disk, say, is no other in the next step; what we did not foresee must not hide behind it.
    if (!limit.aborted && toSvcError(error).code === "internal") throw error;
    return undefined;
  }
}

function databaseUrl({ role, password, databaseName }: ProvisionDbRequest): string {
  const credentials = `${encodeURIComponent(role)}:${encodeURIComponent(password)}`;
  return `postgres://${credentials}@${DATABASE_HOST}:${DATABASE_PORT}/${encodeURIComponent(databaseName)}`;
}
