/** Settings for every request besides its route. All of it is the same for every app: the configuration names none. */

/**
 * An app learns about its caller from the proxy alone: it sets `X-Forwarded-For`, `-Host` and `-Proto` itself, and
 * whatever a client claims, under these names or their relatives, is dropped.
 */
export const callersClaims = {
  handler: "headers",
  request: {
    delete: ["X-Forwarded-*", "Forwarded", "X-Real-Ip", "X-Client-Ip", "True-Client-Ip", "X-Cluster-Client-Ip"].flatMap(
      spellings,
    ),
  },
};

/** Servers that hand headers on as variables (RFC 3875, 4.1.18) take a hyphen and an underscore for the same. */
function spellings(name: string): string[] {
  const [first = "", ...rest] = name.split("-");
  return rest.reduce((starts, part) => starts.flatMap((start) => [`${start}-${part}`, `${start}_${part}`]), [first]);
}

/**
 * 10 GB, or 11 digits, in a body: what an app takes is the app's to limit; this ends a client that never stops. Bodies
 * pass unbuffered.
 */
export const bodyLimit = { handler: "request_body", max_size: 10_000_000_000 };

/** A body that says beforehand that it is longer is not begun. */
export const bodyTooLarge = {
  match: [{ header_regexp: { "Content-Length": { pattern: "^0*[1-9][0-9]{10,}$" } } }],
  handle: [{ handler: "static_response", status_code: 413, close: true }],
};

/**
 * A client that sends its header slowly, or nothing, must not hold a connection for ever. There is no limit on a body's
 * time: an upload of minutes is a normal one. Node, behind which most apps are, takes headers of 16 KiB.
 */
export const connectionLimits = { read_header_timeout: "10s", idle_timeout: "5m", max_header_bytes: 64 * 1024 };

/** Text, by its type. Event streams are not among them, nor what is compressed already: images, video, archives, fonts. */
const COMPRESSIBLE = [
  "application/atom+xml*",
  "application/javascript*",
  "application/json*",
  "application/ld+json*",
  "application/manifest+json*",
  "application/problem+json*",
  "application/rss+xml*",
  "application/wasm*",
  "application/xhtml+xml*",
  "application/xml*",
  "image/svg+xml*",
  "text/css*",
  "text/csv*",
  "text/html*",
  "text/javascript*",
  "text/markdown*",
  "text/plain*",
  "text/xml*",
];

/**
 * Compresses what the app has not. A part of a file stays as it is: its range counts the bytes of the whole one
 * uncompressed.
 */
export const compression = {
  match: [{ not: [{ header: { Range: ["*"] } }] }],
  handle: [
    {
      handler: "encode",
      encodings: { gzip: {}, zstd: {} },
      prefer: ["zstd", "gzip"],
      // Below it the header of the compressed form eats what is saved.
      minimum_length: 512,
      match: { headers: { "Content-Type": COMPRESSIBLE } },
    },
  ],
};
