import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { isBundleVersion } from "@svc/shared/rules/fleet-identity.ts";

/** Where the agent was installed as a bundle (decision 042): versions beside one another, of which `current` leads to one. */
export interface Installation {
  /** /opt/svc-agent. */
  root: string;
  /** The version that runs. */
  version: string;
}

/**
 * The installation that the running program is a part of; undefined where it was started from the sources.
 * @param program absolute path of the daemon, in `<root>/versions/<version>/dist/`
 */
export function findInstallation(program = fileURLToPath(import.meta.url)): Installation | undefined {
  const folder = dirname(dirname(program));
  const versions = dirname(folder);
  const root = dirname(versions);
  const version = basename(folder);
  if (basename(versions) !== "versions" || !isBundleVersion(version)) return undefined;
  return existsSync(`${root}/current`) ? { root, version } : undefined;
}
