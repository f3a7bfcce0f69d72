import { sealContext } from "@svc/control-plane/ports.ts";
import type { TestApi } from "../api/http.ts";

/** A mail that waits to be sent. */
export interface QueuedMail {
  to: string;
  kind: string;
  text: string;
  /** The first one in it; empty when there is none. */
  link: string;
}

/** Those to the address, oldest first. */
export async function mailsTo({ database, keyRing }: TestApi, to: string): Promise<QueuedMail[]> {
  const query = "select id, kind, body from mails where recipient = $1 order by created_at, id";
  const { rows } = await database.query(query, [to]);
  return (rows as { id: string; kind: string; body: Buffer }[]).map(({ id, kind, body }) => {
    const { text } = JSON.parse(keyRing.open(body, sealContext.mailBody(id))) as { text: string };
    return { to, kind, text, link: /https?:\/\/\S+/.exec(text)?.[0] ?? "" };
  });
}
