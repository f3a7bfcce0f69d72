/** A registry's image, its name complete. */
export interface ImageName {
  /** `docker.io/library/node:22`; with a digest the tag says nothing and is left out. */
  full: string;
  /** The name as people write it. */
  short: string;
  /** The registry's, without its port or an IPv6 address's brackets. */
  host: string;
  /** `library/node` */
  path: string;
}

const LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
const DOMAIN = new RegExp(`^(${LABEL}(?:\\.${LABEL})*|\\[[0-9A-Fa-f:.]+\\])(?::[0-9]{1,5})?$`);
const PATH = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const REFERENCE = /^([^@]*?)(?::(\w[\w.-]{0,127}))?(@sha256:[0-9a-f]{64})?$/;

/** A name of 255 characters, a tag of 128 and a digest have less. The patterns take long for a text of any length. */
const LENGTH_MAX = 512;

/** Docker's own registry, and its other names. */
const HUB = ["docker.io", "index.docker.io", "registry-1.docker.io"];

/** Reads a name as Docker does: `node` is `docker.io/library/node:latest`. Undefined when it cannot be one. */
export function parseImageName(text: string): ImageName | undefined {
  if (text.length > LENGTH_MAX) return undefined;
  const [, name, tag, digest] = REFERENCE.exec(text) ?? [];
  if (name === undefined || name.length > 255) return undefined;
  const first = name.split("/", 1)[0]!;
  const hasDomain = name.includes("/") && (/[.:[]/.test(first) || first === "localhost");
  const domain = hasDomain ? first : "docker.io";
  const path = hasDomain ? name.slice(first.length + 1) : name;
  const [, host] = DOMAIN.exec(domain) ?? [];
  if (host === undefined || !PATH.test(path)) return undefined;
  const isHub = HUB.includes(domain.toLowerCase());
  const registry = isHub ? "docker.io" : domain;
  const complete = isHub && !path.includes("/") ? `library/${path}` : path;
  const version = digest ?? `:${tag ?? "latest"}`;
  return {
    full: `${registry}/${complete}${version}`,
    short: `${isHub ? path.replace(/^library\//, "") : `${registry}/${path}`}${digest ?? (tag ? `:${tag}` : "")}`,
    host: host.replace(/^\[|\]$/g, "").toLowerCase(),
    path: complete,
  };
}

/** Whether the name is one that this platform gives to the images of apps, in whichever registry. */
export function isPlatformName({ path }: ImageName): boolean {
  return path === "svc" || path.startsWith("svc/");
}

/** Whether Docker's own registry has it, which is where a name without a host leads. */
export function isHubName({ full }: ImageName): boolean {
  return full.startsWith("docker.io/");
}
