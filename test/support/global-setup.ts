import { ensureBundles } from "./platform/bundles.ts";
import { useTestServer, type TestServer } from "./database/postgres-server.ts";

let server: TestServer | undefined;

/** Keeps PostgreSQL running from the first test file to the last, instead of once for each. */
export async function setup(): Promise<void> {
  await ensureBundles();
  server = await useTestServer();
}

export async function teardown(): Promise<void> {
  await server?.release();
}
