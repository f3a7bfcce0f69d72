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
    return await orSignIn(send<T>(method, path, sent));
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

/** The time that a file of tens of megabytes may take. Milliseconds. */
const DOWNLOAD_MS_MAX = 30 * 60_000;

/**
 * Reads a file, as the person of the page: who follows a link may be another by then.
 * @throws Refusal
 */
export async function download(path: string): Promise<Blob> {
  return (await orSignIn(accepted(new Request(path), DOWNLOAD_MS_MAX))).blob();
}

/** When nobody is signed in any more, the browser goes to the sign-in. */
async function orSignIn<T>(asked: Promise<T>): Promise<T> {
  return asked.catch((error: unknown) => {
    if (isUnauthorized(error)) goToSignIn();
    throw error;
  });
}

async function send<T>(method: Method, path: string, { body }: Sent): Promise<T> {
  const headers = new Headers({ Accept: "application/json" });
  // Without this type, which no form can send, the control plane refuses whatever changes something.
  if (method !== "GET") headers.set("Content-Type", "application/json");
  const sent = method === "GET" ? {} : { body: JSON.stringify(body ?? {}) };
  const response = await accepted(new Request(path, { method, headers, ...sent }));
  return (await response.json().catch(() => undefined)) as T;
}

/** @throws Refusal also for an answer that refuses */
async function accepted(request: Request, msMax?: number): Promise<Response> {
  const response = await reach(request, msMax === undefined ? {} : { msMax });
  if (response.ok) return response;
  throw refusalOf(response.status, await response.json().catch(() => undefined));
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof Refusal && error.code === "unauthorized";
}
