import { claimDirectory } from "@svc/shared/platform/claim-directory.ts";
import { SvcError } from "@svc/shared/errors.ts";

/**
 * Makes this process the only agent of the data directory.
 * @returns the function that gives the claim back
 * @throws SvcError invalid_request while another agent has it
 */
export async function claimDataDirectory(dataDirectory: string): Promise<() => Promise<void>> {
  const release = await claimDirectory("agent", dataDirectory);
  if (release) return release;
  const advice = "stop it, or give this one a directory of its own with SVC_DATA_DIR";
  throw new SvcError("invalid_request", `Another agent runs on the data directory ${dataDirectory}; ${advice}.`);
}
