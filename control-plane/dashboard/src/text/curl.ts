/** A request of the public API. */
export interface ApiRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its query, if it has one. */
  path: string;
  body?: unknown;
}

/** The request as a person would send it from a terminal. @param origin the service's own address */
export function curlOf({ method, path, body }: ApiRequest, origin: string, isStream = false): string {
  return [
    `curl${isStream ? " -N" : ""}${method === "GET" ? "" : ` -X ${method}`}`,
    '-H "Authorization: Bearer $SVC_API_KEY"',
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`]),
    quoted(origin + path),
  ].join(" ");
}

/** Quotes one word for a shell (POSIX, "Quoting"). */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
