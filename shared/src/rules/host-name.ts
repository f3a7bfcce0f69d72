/** One label of a name: letters, digits, inner hyphens, at most 63 characters (RFC 1123, 2.1). */
const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const isLabel = new RegExp(`^${LABEL}$`);

/** Lower-case host name of one or more labels, without anchors; also valid in RE2, which the proxy uses. */
export const HOST_NAME_PATTERN = `${LABEL}(?:\\.${LABEL})*`;

/** 253 characters of a DNS name less ".up.internal", under which an agent's name server answers for the host. */
export const HOST_NAME_LENGTH_MAX = 241;

export function isHostNameLabel(text: string): boolean {
  return isLabel.test(text);
}

/** True for what may be routed: lower-case, not too long, and not an IPv4 address. */
export function isHostName(value: string): boolean {
  return (
    value.length <= HOST_NAME_LENGTH_MAX && value.split(".").every(isHostNameLabel) && !/(?:^|\.)[0-9]+$/.test(value)
  );
}
