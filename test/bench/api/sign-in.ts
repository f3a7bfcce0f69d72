import { inviteUser } from "@svc/control-plane/accounts/identity/joining/invite-user.ts";
import type { ControlPlanes } from "../../support/platform/control-planes.ts";

/** @returns the header Cookie of a session of somebody who has had keys until now */
export async function signIn({ baseUrls, database }: ControlPlanes, userId: string): Promise<string> {
  const baseUrl = baseUrls[0]!;
  const { rows } = await database.query("select email from users where id = $1", [userId]);
  const { link } = await inviteUser(database.db, { email: String(rows[0]!["email"]), tier: "team", baseUrl });
  const token = new URLSearchParams(new URL(link).hash.slice(1)).get("token");
  const reply = await fetch(`${baseUrl}/auth/join`, {
    method: "POST",
    headers: { Origin: baseUrl, "Content-Type": "application/json" },
    body: JSON.stringify({ token, name: "bench", password: "correct horse battery" }),
  });
  if (reply.status !== 201) throw new Error(`/auth/join was answered ${reply.status}: ${await reply.text()}`);
  return reply.headers.getSetCookie()[0]!.split(";")[0]!;
}
