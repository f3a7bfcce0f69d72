import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import { readIfPresent, writeDurably } from "../platform/durable-file.ts";

/** 256 bits: nobody guesses it, however fast the host answers. */
const TOKEN_BYTES = 32;
/** Shorter ones come from a person, or from a file that was cut off. */
const TOKEN_LENGTH_MIN = 32;

export function metricsTokenFile(dataDirectory: string): string {
  return join(dataDirectory, "metrics-token");
}

/**
 * The bearer token of `/metrics`, made at the first start. Apps and builds share the host with that port, so an address
 * alone keeps nobody away; only what may read the file may read the metrics (decision 017).
 * @throws SvcError invalid_request when the file holds something else
 */
export async function openMetricsToken(dataDirectory: string): Promise<string> {
  const file = metricsTokenFile(dataDirectory);
  const known = await readIfPresent(file);
  if (known === undefined) {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    await writeDurably(file, `${token}\n`, 0o600);
    return token;
  }
  if (known.trim().length < TOKEN_LENGTH_MIN) {
    const advice = "remove it, and the next start makes another";
    throw new SvcError(
      "invalid_request",
      `${file} holds no token of at least ${TOKEN_LENGTH_MIN} characters: ${advice}.`,
    );
  }
  await chmod(file, 0o600);
  return known.trim();
}

/** Compares in constant time, whatever the lengths. */
export function hasBearerToken(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "";
  return timingSafeEqual(sha256(given), sha256(token));
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
