import { createHash } from "node:crypto";
import { SvcError, toSvcError } from "@svc/shared/errors.ts";
import { invalid } from "../invalid.ts";
import { canonicalJson } from "./canonical-json.ts";
import { measureJson } from "./measure-json.ts";

/** The largest body, as the API promises it. */
export const BODY_BYTES_MAX = 1024 * 1024;

/**
 * This is far more than any body of ours holds (64 variables, an app's few properties) and few enough that one owner's
 * bodies take no time from the others: a body is parsed before the rate limit is looked at.
 */
export const BODY_VALUES_MAX = 10_000;
/** Ours are nested twice; what walks through a value recursively is safe with this many. */
const BODY_DEPTH_MAX = 32;

/**
 * The rest of a body that is too large is read and dropped up to here: leaving it unread ends the connection, and the
 * client, which is still sending, would not hear why.
 */
export const DRAINED_BYTES_MAX = 16 * BODY_BYTES_MAX;

/** A body that was read, and either parsed or found wanting; it is complained about only when its turn comes. */
export interface RequestBody {
  /** SHA-256; equal for bodies that mean the same. Made when it is asked for, which few requests do. */
  hash(): Buffer;
  /** @throws SvcError invalid_request, payload_too_large, unsupported_media_type; undefined when the body is empty */
  value(): unknown;
}

/** Reads the body; of one that is too large only the beginning is kept. */
export async function readRequestBody(request: Request): Promise<RequestBody> {
  const { bytes, complete } = await readBounded(request);
  const result = complete
    ? parse(bytes, request.headers.get("Content-Type"))
    : { ok: false as const, error: tooLarge() };
  return {
    hash() {
      const canonical = result.ok ? canonicalJson(result.value === undefined ? {} : result.value) : bytes;
      return createHash("sha256").update(canonical).digest();
    },
    value() {
      if (!result.ok) throw result.error;
      return result.value;
    },
  };
}

/** Reads the body; of one that is larger than BODY_BYTES_MAX, the beginning. @throws SvcError invalid_request when it breaks off */
export async function readBounded(request: Request): Promise<{ bytes: Buffer; complete: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of request.body ?? []) {
      if (length <= BODY_BYTES_MAX) chunks.push(chunk);
      length += chunk.byteLength;
      if (length > DRAINED_BYTES_MAX) break;
    }
  } catch {
    throw invalid("The body broke off before its end. Send it again.");
  }
  return { bytes: Buffer.concat(chunks), complete: length <= BODY_BYTES_MAX };
}

function tooLarge(): SvcError {
  return new SvcError("payload_too_large", `The body is larger than ${BODY_BYTES_MAX} bytes (1 MiB).`);
}

type Parsed = { ok: true; value: unknown } | { ok: false; error: SvcError };

function parse(bytes: Buffer, contentType: string | null): Parsed {
  if (bytes.length === 0) return { ok: true, value: undefined };
  try {
    requireJsonType(contentType);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    requireFewValues(bytes);
    const value: unknown = JSON.parse(text);
    refusePrototypes(value);
    return { ok: true, value };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, error: invalid(`The body is not JSON: ${error.message}.`) };
    if (error instanceof TypeError) return { ok: false, error: invalid("The body is not valid UTF-8.") };
    return { ok: false, error: toSvcError(error) };
  }
}

/** No declaration at all is read as JSON. */
function requireJsonType(contentType: string | null): void {
  if (contentType === null || /^application\/([a-z0-9.+-]+\+)?json *(;|$)/i.test(contentType)) return;
  throw new SvcError(
    "unsupported_media_type",
    `The body is declared as ${contentType}: send JSON, and the header Content-Type: application/json.`,
  );
}

/** Looked at before it is parsed: what has too many values would be slow to parse. */
function requireFewValues(bytes: Buffer): void {
  const size = measureJson(bytes, { values: BODY_VALUES_MAX, depth: BODY_DEPTH_MAX });
  if (size === "too deep") {
    throw invalid(
      `The body is nested too deeply: ${BODY_DEPTH_MAX} arrays and objects inside one another are allowed.`,
    );
  }
  if (size === "too many values") {
    throw invalid(`The body holds too many values: ${BODY_VALUES_MAX} are allowed, each array and object included.`);
  }
}

/**
 * `__proto__` is no ordinary property to most of the code that a value passes through. It names a variable as any other
 * word does, so that it is allowed in the body's `env`.
 */
function refusePrototypes(value: unknown, where: readonly string[] = []): void {
  if (typeof value !== "object" || value === null) return;
  const isEnv = where.length === 1 && where[0] === "env";
  if (!isEnv && Object.hasOwn(value, "__proto__")) {
    throw invalid("The body holds the property __proto__, which is not allowed.");
  }
  for (const [key, entry] of Object.entries(value)) refusePrototypes(entry, [...where, key]);
}
