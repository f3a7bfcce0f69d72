import pg from "pg";

export interface DatabaseLogin {
  host: string;
  port: number;
  databaseName: string;
  role: string;
  password: string;
}

const CONNECT_MS_MAX = 2000;

/** Does what the app will do: connects over the network and asks something. @throws Error of pg, without the password */
export async function connectAsRole({ host, port, databaseName, role, password }: DatabaseLogin): Promise<void> {
  const client = new pg.Client({
    host,
    port,
    database: databaseName,
    user: role,
    password,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    query_timeout: CONNECT_MS_MAX,
  });
  // A server that restarts behind an open connection reports it here, after the query's own error.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("SELECT 1");
  } finally {
    await client.end().catch(() => undefined);
  }
}
