import { REFUSALS, type RefusalReason } from "@svc/control-plane/accounts/identity/oidc/refusal-reasons.ts";
import type { Reply, TestApi } from "../api/http.ts";
import type { Lies, LyingProvider, Subject } from "./lying-provider.ts";
import type { Browser } from "./person.ts";

/** Begins a sign-in. @returns the address of the provider's page */
export async function beginAt(browser: Browser, { provider }: LyingProvider, to?: string): Promise<string> {
  const query = to === undefined ? "" : `?to=${encodeURIComponent(to)}`;
  const reply = await browser.get(`/auth/oidc/${provider.id}${query}`);
  return placeOf(reply);
}

/** A whole sign-in. @returns where the browser ends */
export async function signInAt(
  browser: Browser,
  liar: LyingProvider,
  subject: Subject,
  lies: Lies = {},
): Promise<string> {
  const address = await beginAt(browser, liar);
  return placeOf(await browser.get(liar.signIn(address, subject, lies)));
}

/** Connects the provider to the account of whoever is signed in. @returns where the browser ends */
export async function connectAt(
  browser: Browser,
  liar: LyingProvider,
  { subject, password }: { subject: Subject; password?: string },
): Promise<string> {
  const { status, json, text } = await browser.post("/auth/connections", { provider: liar.provider.id, password });
  if (status !== 200) throw new Error(`nothing was begun: ${text}`);
  return placeOf(await browser.get(liar.signIn(json["redirect_to"] as string, subject)));
}

/** Where an answer leads. */
export function placeOf({ status, headers, text }: Reply): string {
  const location = headers.get("Location");
  if (status !== 302 || location === null) throw new Error(`the answer ${status} leads nowhere: ${text}`);
  return location;
}

/** The page Sign in with the reason. */
export function refused(reason: RefusalReason): string {
  if (!(reason in REFUSALS)) throw new Error(`${reason} is no reason`);
  return `/sign-in?refused=${reason}`;
}

/** The user with the address; undefined when there is none. */
export async function userOf(
  { database }: TestApi,
  email: string,
): Promise<{ id: string; ways: string[] } | undefined> {
  const { rows } = await database.query(
    `select u.id, array_remove(array_agg(a.provider_id order by a.provider_id), null) as ways
     from users u left join accounts a on a.user_id = u.id where lower(u.email) = lower($1) group by u.id`,
    [email],
  );
  return rows[0] as { id: string; ways: string[] } | undefined;
}
