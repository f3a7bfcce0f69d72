import { useTestServer } from "./postgres-server.ts";

/** Keeps PostgreSQL running from the first test file to the last, instead of once for each. */
export default async function setup(): Promise<() => Promise<void>> {
  const server = await useTestServer();
  return () => server.release();
}
