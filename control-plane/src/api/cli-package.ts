import { createHash } from "node:crypto";
import { readBuiltFile } from "./built-file.ts";

export const CLI_PACKAGE_PATH = "/cli/svc.tgz";

/** The tool of the same version as this service, as `npm install` takes it. */
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
  const bytes = await readBuiltFile("svc.tgz");
  return { bytes, checksum: `${createHash("sha256").update(bytes).digest("hex")}  svc.tgz\n` };
}
