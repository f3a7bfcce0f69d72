import createClient from "openapi-fetch";
import type { paths } from "svc-cli/gen/api.ts";
import { goToSignIn } from "./ask.ts";
import { reach } from "./reach.ts";
import { refusalOf, type Refusal } from "./refusal.ts";

/** The public API, typed by its own description. It acts as the person who is signed in. */
export const api = createClient<paths>({
  // Without this type, which no form can send, the control plane refuses whatever changes something.
  headers: { Accept: "application/json", "Content-Type": "application/json" },
  fetch: reach,
});

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of an answer. When nobody is signed in any more, the browser goes to the sign-in. @throws Refusal */
export async function answerOf<T>(asked: Promise<Answer<T>>): Promise<NonNullable<T>> {
  const { data, error, response } = await asked;
  if (response.ok && data !== undefined && data !== null) return data;
  throw refused(response, error);
}

/** The same for answers without a body. @throws Refusal */
export async function done(asked: Promise<Answer<unknown>>): Promise<void> {
  const { error, response } = await asked;
  if (!response.ok) throw refused(response, error);
}

function refused({ status }: Response, body: unknown): Refusal {
  const refusal = refusalOf(status, body);
  if (refusal.code === "unauthorized") goToSignIn();
  return refusal;
}
