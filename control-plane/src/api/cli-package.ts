import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { SvcError } from "@svc/shared/errors.ts";

/** Beside the bundle of this daemon, and seen from its sources. */
const PLACES = ["svc.tgz", "../../../dist/svc.tgz"];

export const CLI_PACKAGE_PATH = "/cli/svc.tgz";

/** What `npm install` takes: the tool of the same version as this service. */
export interface CliPackage {
  bytes: Buffer<ArrayBuffer>;
  /** A line for `sha256sum --check`. */
  checksum: string;
}

let read: Promise<CliPackage> | undefined;

/** @throws SvcError not_found where the package was not built */
export function readCliPackage(): Promise<CliPackage> {
  read ??= load().catch((error: unknown) => {
    read = undefined;
    throw error;
  });
  return read;
}

async function load(): Promise<CliPackage> {
  const file = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) => existsSync(path));
  if (file === undefined) {
    throw new SvcError("not_found", "This installation has no package of svc: npm run build makes it.");
  }
  const bytes = await readFile(file);
  return { bytes, checksum: `${createHash("sha256").update(bytes).digest("hex")}  svc.tgz\n` };
}
