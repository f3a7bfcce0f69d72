/** The name of a variable of an app. */
export const ENV_KEY = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** This is far above any real name; keeps rows and error sentences small. */
export const ENV_KEY_LENGTH_MAX = 255;
/** The most variables of an app. */
export const ENV_VARS_MAX = 64;
/** 8 KB of UTF-8. */
export const ENV_VALUE_BYTES_MAX = 8 * 1024;

/** UTF-8 of the values of all public variables: they are part of the build call's address line, which the engine takes up to a megabyte of. */
export const PUBLIC_ENV_BYTES_MAX = 64 * 1024;
/** Frameworks put variables with these prefixes into what browsers download, so they cannot hold a secret. */
export const PUBLIC_PREFIXES = ["NEXT_PUBLIC_", "VITE_", "PUBLIC_", "NUXT_PUBLIC_", "REACT_APP_", "GATSBY_"] as const;

const PLATFORM_PREFIX = "SVC_";

export function isEnvKey(key: string): boolean {
  return key.length <= ENV_KEY_LENGTH_MAX && ENV_KEY.test(key);
}

/** Set by the platform, never by the user. */
export function isPlatformEnvKey(key: string): boolean {
  return key === "PORT" || key.startsWith(PLATFORM_PREFIX);
}

/** Whether the variable may be seen by a build, and so end up in an image's layers. */
export function isPublicKey(key: string): boolean {
  return ENV_KEY.test(key) && PUBLIC_PREFIXES.some((prefix) => key.startsWith(prefix));
}
