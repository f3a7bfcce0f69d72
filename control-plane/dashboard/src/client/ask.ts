import type { Person } from "./answers.ts";
import { readOwnerAnew } from "./owner.ts";
import { reach } from "./reach.ts";
import { Refusal, refusalOf } from "./refusal.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

interface Sent {
  body?: object;
}

/**
 * Asks what is under /auth, for pages alone, as the person who is signed in; `api.ts` asks the public API. When nobody is any
 * more, the browser goes to the sign-in.
 * @returns the answer's JSON; undefined when it has none
 * @throws Refusal
 */
export async function ask<T>(method: Method, path: string, sent: Sent = {}): Promise<T> {
  try {
    return await send<T>(method, path, sent);
  } catch (error) {
    if (isUnauthorized(error)) goToSignIn();
    throw error;
  } finally {
    if (method !== "GET") readOwnerAnew();
  }
}

/** Reads who is signed in; undefined when nobody is. @throws Refusal */
export async function readPerson(): Promise<Person | undefined> {
  try {
    return (await send<{ person: Person }>("GET", "/auth/session", {})).person;
  } catch (error) {
    if (isUnauthorized(error)) return undefined;
    throw error;
  }
}

/** Leaves for the sign-in, which comes back to this page. */
export function goToSignIn(): void {
  location.replace(`/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`);
}

async function send<T>(method: Method, path: string, { body }: Sent): Promise<T> {
  const headers = new Headers({ Accept: "application/json" });
  // Without this type, which no form can send, the control plane refuses whatever changes something.
  if (method !== "GET") headers.set("Content-Type", "application/json");
  const sent = method === "GET" ? {} : { body: JSON.stringify(body ?? {}) };
  const response = await reach(new Request(path, { method, headers, ...sent }));
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw refusalOf(response.status, answer);
  return answer as T;
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof Refusal && error.code === "unauthorized";
}
