import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "svc-cli/gen/api.ts";

/** The public API, called within the process as the one who asks: with the same limits, locks and entries of the activity. */
export type Service = Client<paths>;

export type App = components["schemas"]["App"];
export type Deploy = components["schemas"]["Deploy"];
export type DeployStep = components["schemas"]["DeployStep"];

/** A refusal of the API, in its own words. */
export class ToolRefusal extends Error {}

/**
 * @param send answers a request without a socket
 * @param headers those by which the caller is known, and others of each request
 */
export function connectService(
  send: (request: Request) => Promise<Response>,
  headers: Readonly<Record<string, string>>,
): Service {
  // The address is never called; a URL needs one.
  return createClient<paths>({
    baseUrl: "http://assistant.invalid",
    headers,
    fetch: send,
  });
}

interface Answered<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of an answer. @throws ToolRefusal */
export async function answerOf<T>(asked: Promise<Answered<T>>): Promise<NonNullable<T>> {
  const { data, error, response } = await asked;
  if (response.ok && data !== undefined && data !== null) return data;
  throw refusalOf(response, error);
}

/** The same for answers without a body. @throws ToolRefusal */
export async function done(asked: Promise<Answered<unknown>>): Promise<void> {
  const { error, response } = await asked;
  if (!response.ok) throw refusalOf(response, error);
}

export function refusalOf(response: Response, error: unknown): ToolRefusal {
  const { error: code = String(response.status), detail, request_id: id } = (error ?? {}) as Record<string, string>;
  const hint = response.status >= 500 && id !== undefined ? ` Request id: ${id}.` : "";
  const wait = response.headers.get("Retry-After");
  return new ToolRefusal(`${code}: ${detail ?? "The service gave no reason."}${hint}${wait ? ` Wait ${wait} s.` : ""}`);
}
