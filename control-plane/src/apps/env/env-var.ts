import { SvcError } from "@svc/shared/errors.ts";
import {
  ENV_KEY_LENGTH_MAX,
  ENV_VALUE_BYTES_MAX,
  ENV_VARS_MAX,
  isEnvKey,
  isPlatformEnvKey,
  isPublicKey,
  PUBLIC_ENV_BYTES_MAX,
} from "@svc/shared/rules/env-key.ts";
import { quoted } from "../../platform/invalid.ts";

/**
 * The sentences name the key and never the value.
 * @throws SvcError env_limit, reserved_env_key
 */
export function checkEnvVar(key: string, value: string): void {
  if (!isEnvKey(key)) {
    throw limit(
      `The key ${quoted(key)} can't name a variable: use letters, digits and _, without a digit in front, at most ${ENV_KEY_LENGTH_MAX}.`,
    );
  }
  if (key === "PORT") {
    throw new SvcError("reserved_env_key", "The key PORT is set by the platform: set the app's port instead.");
  }
  if (isPlatformEnvKey(key)) {
    throw new SvcError(
      "reserved_env_key",
      `The key ${key} can't be set: names that begin with SVC_ belong to the platform.`,
    );
  }
  if (value.includes("\0")) throw limit(`The value of ${key} holds a NUL character, which no environment can carry.`);
  if (!value.isWellFormed())
    throw limit(`The value of ${key} holds half of a character (a lone surrogate): it is not valid text.`);
  const bytes = Buffer.byteLength(value);
  if (bytes > ENV_VALUE_BYTES_MAX) {
    throw limit(`The value of ${key} has ${bytes} bytes of UTF-8; at most ${ENV_VALUE_BYTES_MAX} are allowed.`);
  }
}

/** @param keys all keys that the app would have @throws SvcError env_limit */
export function checkEnvCount(keys: ReadonlySet<string>, added: readonly string[]): void {
  if (keys.size <= ENV_VARS_MAX) return;
  throw limit(
    `The app would have ${keys.size} variables, with ${added.at(-1) ?? "these"} among the new ones; ` +
      `at most ${ENV_VARS_MAX} are allowed. Delete some first.`,
  );
}

/**
 * Refuses more public values than a build can be told.
 * @param env all variables that the app would have
 * @throws SvcError env_limit
 */
export function checkPublicEnv(env: Readonly<Record<string, string>>): void {
  const bytes = Object.entries(env).reduce(
    (sum, [key, value]) => sum + (isPublicKey(key) ? Buffer.byteLength(value) : 0),
    0,
  );
  if (bytes <= PUBLIC_ENV_BYTES_MAX) return;
  throw limit(
    `The values of variables with a public prefix would have ${bytes} bytes in all; at most ${PUBLIC_ENV_BYTES_MAX} are ` +
      "allowed, since each build is told all of them. Make some shorter, or delete some first.",
  );
}

function limit(sentence: string): SvcError {
  return new SvcError("env_limit", sentence);
}
