import { join } from "node:path";

/** Where checkouts lie, in a folder per deploy. */
export function clonesFolder(dataDirectory: string): string {
  return join(dataDirectory, "clones");
}
