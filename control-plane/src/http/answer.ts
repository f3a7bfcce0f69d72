/** What a route answers; `body` is JSON text. */
export interface Answer {
  status: number;
  body?: string;
  headers?: Readonly<Record<string, string>>;
}

export function json(status: number, value: unknown): Answer {
  return { status, body: JSON.stringify(value) };
}

/** For JSON that PostgreSQL has made. */
export function jsonText(status: number, body: string): Answer {
  return { status, body };
}

export const noContent: Answer = { status: 204 };

export function toResponse({ status, body, headers }: Answer): Response {
  const type = body === undefined ? {} : { "Content-Type": "application/json" };
  return new Response(body ?? null, { status, headers: { ...type, ...headers } });
}
