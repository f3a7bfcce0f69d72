import type { TestApi } from "../api/http.ts";
import { Browser } from "./person.ts";

/** Somebody new who is an operator and signed in. */
export async function addOperator(http: TestApi, email: string): Promise<Browser> {
  const browser = await new Browser(http).join(email);
  await http.database.query("update users set is_operator = true where email = $1", [email]);
  return browser;
}

const GIB = 1024 ** 3;

/** A status as an agent tells it, as far as operators see it. */
export const HOST_STATUS = {
  cpu: { cores: 4, usedRatio: 0.25, load1m: 1.5 },
  memory: {
    totalBytes: String(8 * GIB),
    availableBytes: String(6 * GIB),
    promisedBytes: String(2 * GIB),
    promisableBytes: String(7 * GIB),
  },
  disks: [{ purpose: "data", totalBytes: String(100 * GIB), availableBytes: String(25 * GIB) }],
};

/** Lets the server's agent be heard of now, with that status. */
export async function hearOf({ database }: TestApi, serverId: string, status: object = HOST_STATUS): Promise<void> {
  await database.query(
    `update servers set status = $2, status_at = now(), agent_version = '0.1.0', link_until = now() + interval '1 hour',
       certificate_until = now() + interval '30 days' where id = $1`,
    [serverId, JSON.stringify(status)],
  );
  await database.query(
    "insert into server_hearings (server_id, heard_at) values ($1, now()) on conflict (server_id) do update set heard_at = now()",
    [serverId],
  );
}
