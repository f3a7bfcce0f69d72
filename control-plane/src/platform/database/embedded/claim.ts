import { mkdir } from "node:fs/promises";
import { claimDirectory, isDirectoryClaimed } from "@svc/shared/platform/claim-directory.ts";

const KIND = "control-plane";

/**
 * Makes this process the only control plane of the data directory: it looks after the embedded PostgreSQL and stops it
 * when it ends. Taken before the server is started or adopted.
 * @returns the function that gives the claim back
 * @throws SvcError invalid_request while another control plane has it
 */
export async function claimEmbedded(dataDirectory: string): Promise<() => Promise<void>> {
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  return claimDirectory(
    KIND,
    dataDirectory,
    `Another control plane runs the embedded PostgreSQL in the data directory ${dataDirectory}; stop it, give this one ` +
      "a directory of its own with SVC_DATA_DIR, or set DATABASE_URL of both to one PostgreSQL.",
  );
}

/** Whether a control plane uses the embedded PostgreSQL, or is about to. */
export function isEmbeddedClaimed(dataDirectory: string): Promise<boolean> {
  return isDirectoryClaimed(KIND, dataDirectory);
}
