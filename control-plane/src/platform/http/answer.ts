/** The answer of a route; `body` is JSON text. */
export interface Answer {
  status: number;
  body?: string;
  headers?: Readonly<Record<string, string>>;
}

/** An answer whose JSON may be written while it is sent. */
export type StreamedAnswer = Omit<Answer, "body"> & { body?: Answer["body"] | ReadableStream<Uint8Array> };

/** Headers on every response. */
export const REQUEST_ID_HEADER = "X-Request-Id";

/** Names the person of a session: in an answer, who it is for; in a request, whom it is sent for. */
export const PERSON_HEADER = "Svc-Person";

export function json(status: number, value: unknown): Answer {
  return { status, body: JSON.stringify(value) };
}

/** Makes an answer of JSON that PostgreSQL has made. */
export function jsonText(status: number, body: string): Answer {
  return { status, body };
}

export const noContent: Answer = { status: 204 };

/** Leads a browser to another place, which it asks for with GET. */
export function redirect(location: string): Answer {
  return { status: 302, headers: { Location: location } };
}

/**
 * No cache keeps an answer, which is somebody's: without this header a shared one may keep what was asked for with a cookie (RFC
 * 9111, 3). No page of another origin shows it in a frame, or takes it for a script or a picture.
 */
export const OF_SOMEBODY = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
};

/**
 * @param requestId given here, since headers that are added to a response later cost as much as making it
 * @param person id of whoever is signed in, when a page asks
 */
export function toResponse({ status, body, headers }: StreamedAnswer, requestId: string, person?: string): Response {
  const own: Record<string, string> = { [REQUEST_ID_HEADER]: requestId, ...OF_SOMEBODY };
  if (person !== undefined) own[PERSON_HEADER] = person;
  if (body !== undefined) own["Content-Type"] = "application/json";
  return new Response(body ?? null, { status, headers: headers === undefined ? own : { ...own, ...headers } });
}
