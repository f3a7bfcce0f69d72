import { createHmac, randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import { readIfPresent, writeDurably } from "../../platform/durable-file.ts";

/** 160 bits: nobody guesses one, and it stays readable in the operator's list of images. */
const HEX_DIGITS = 40;

const SECRET = /^[0-9a-f]{64}$/;

/**
 * Names that only this host can make, from a secret that never leaves its data directory: a build can name an image whose
 * name it knows, so those of apps are known to nobody (control-plane/decisions, 013).
 */
export class HostNames {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** The repository of the app's images. */
  repositoryOf(appId: string): string {
    return `svc/${this.#hex("images", appId)}`;
  }

  /** The repository of what the app's builds fetch. */
  fetchedOf(appId: string): string {
    return `svc/${this.#hex("fetched", appId)}`;
  }

  /** Part of the keys of all layers that are built for the owner. */
  saltOf(ownerId: string): string {
    return this.#hex("layers", ownerId);
  }

  /** Returns the namespace of the owner's cache mounts. */
  cacheNamespaceOf(ownerId: string): string {
    return this.#hex("mounts", ownerId);
  }

  /** The password of the registry that the agent runs in a cluster. */
  registryPassword(): string {
    return this.#hex("registry", "password");
  }

  #hex(purpose: string, id: string): string {
    return createHmac("sha256", this.#secret).update(`${purpose}:${id}`).digest("hex").slice(0, HEX_DIGITS);
  }
}

/** The names of this host; the first call makes its secret. @throws SvcError internal when the file is damaged */
export async function loadHostNames(dataDirectory: string): Promise<HostNames> {
  const path = join(dataDirectory, "image-names.secret");
  const known = (await readIfPresent(path))?.trim();
  if (known !== undefined && SECRET.test(known)) return new HostNames(known);
  if (known !== undefined) {
    throw new SvcError("internal", `${path} is damaged. Remove it and start the agent again; images get new names.`);
  }
  const secret = randomBytes(32).toString("hex");
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  await writeDurably(path, `${secret}\n`);
  return new HostNames(secret);
}
