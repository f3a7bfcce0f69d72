import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { SvcError } from "@svc/shared/errors.ts";

/** Folders from this module to dist/: beside the bundle of this daemon, and seen from its sources. */
const PLACES = [".", "../../../dist"];

/**
 * A file that `npm run build` puts into dist/.
 *
 * @throws SvcError not_found where it was not built
 */
export async function readBuiltFile(name: string): Promise<Buffer<ArrayBuffer>> {
  const files = PLACES.map((place) => fileURLToPath(new URL(`${place}/${name}`, import.meta.url)));
  const file = files.find((path) => existsSync(path));
  if (file === undefined) {
    throw new SvcError("not_found", `This installation has no ${name}. Run \`npm run build\`, which makes it.`);
  }
  return readFile(file);
}
