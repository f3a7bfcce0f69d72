/** A request of the public API. */
export interface ApiRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its query, if it has one. */
  path: string;
  body?: unknown;
}

interface CurlOptions {
  /** Lines are shown as they come. */
  isStream?: boolean;
  /** It is sent with an API key; otherwise as whoever is signed in. */
  takesKey?: boolean;
}

/** The request as a person would send it from a terminal. @param origin the service's own address */
export function curlOf(
  { method, path, body }: ApiRequest,
  origin: string,
  { isStream = false, takesKey = true }: CurlOptions = {},
): string {
  return [
    `curl${isStream ? " -N" : ""}${method === "GET" ? "" : ` -X ${method}`}`,
    takesKey ? '-H "Authorization: Bearer $SVC_API_KEY"' : '-H "Cookie: $SVC_SESSION"',
    ...(takesKey || method === "GET" ? [] : [`-H ${quoted(`Origin: ${origin}`)}`]),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`]),
    quoted(origin + path),
  ].join(" ");
}

/** Quotes one word for a shell (POSIX, "Quoting"). */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
