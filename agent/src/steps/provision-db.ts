import type { ProvisionDbSpec } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { checkProvisionDb } from "../domain/provision-db-request.ts";
import type { ProvisionDbRequest } from "../domain/provision-db-request.ts";
import { DATABASE_HOST, DATABASE_PORT } from "../postgres/container.ts";
import { provisionDatabase } from "../postgres/provision.ts";
import type { StepDefinition } from "./step.ts";

/** The app's own PostgreSQL, on its own network, with its own volume. */
export const provisionDb: StepDefinition<ProvisionDbSpec> = {
  async run(ctx, message) {
    const request = checkProvisionDb(message);
    await provisionDatabase(ctx, request);
    ctx.output.log(`PostgreSQL ${request.version} is ready with the database ${request.databaseName}.`);
    return {
      case: "provisionDb",
      value: { databaseUrl: databaseUrl(request), databaseName: request.databaseName },
    };
  },

  /** A database belongs to the app and not to a deploy: it may hold data, and the next deploy finds it. */
  undo: () => Promise.resolve(),
};

function databaseUrl({ role, password, databaseName }: ProvisionDbRequest): string {
  const credentials = `${encodeURIComponent(role)}:${encodeURIComponent(password)}`;
  return `postgres://${credentials}@${DATABASE_HOST}:${DATABASE_PORT}/${encodeURIComponent(databaseName)}`;
}
