import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startEmbeddedPostgres } from "@svc/control-plane/platform/database/embedded/embedded.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";

/** One PostgreSQL for all tests of this user, kept between runs so that initdb is paid for once. */
const DIRECTORY = join(tmpdir(), `svc-test-postgres-${process.getuid?.() ?? 0}`);

/** Nothing of it has to survive a power cut, and many test files may use it at once. */
const SETTINGS = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "200" };

/** A user of the server holds this lock, shared; the one who gets it exclusively is the last and stops the server. */
const IN_USE = "7356413620011403";

export interface TestServer {
  /** On the server's database `postgres`; also what the caller makes databases with. */
  client: pg.Client;
  urlOf(database: string): string;
  /** Stops the server when nobody else uses it. */
  release(): Promise<void>;
}

export async function useTestServer(): Promise<TestServer> {
  for (let attempt = 1; ; attempt++) {
    const server = await startEmbeddedPostgres({ directory: DIRECTORY, log: silentLogger, settings: SETTINGS });
    const client = new pg.Client({ connectionString: server.url });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.query("select pg_advisory_lock_shared($1)", [IN_USE]);
    } catch (error) {
      // The last user before us was just stopping it.
      if (attempt === 10) throw error;
      continue;
    }
    return {
      client,
      urlOf: (database) => server.url.replace(/\/postgres$/, `/${database}`),
      async release() {
        await client.query("select pg_advisory_unlock_shared($1)", [IN_USE]);
        const { rows } = await client.query<{ last: boolean }>("select pg_try_advisory_lock($1) as last", [IN_USE]);
        if (rows[0]?.last) await server.stop();
        await client.end().catch(() => undefined);
      },
    };
  }
}
