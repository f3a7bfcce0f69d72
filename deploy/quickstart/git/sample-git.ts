import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { SetupError } from "../../setup/terminal.mjs";
import { ensureGitCertificate } from "./git-certificate.ts";
import { GIT_SERVER_ADDRESS } from "./git-server.ts";
import type { Installation } from "../installation.ts";
import { readMemory, remember } from "../memory.ts";
import { describeListener, listenerOn } from "../daemons/processes.ts";
import { ensureRepositories } from "./repositories.ts";

export interface SampleGit {
  /** PEM of the authority that signed the server's certificate. */
  caFile: string;
  /** Where a sample is cloned from. */
  repoUrl(sample: string): string;
}

/** Everything that the git server's process needs, before it starts. */
export async function prepareSampleGit(installation: Installation): Promise<SampleGit> {
  await ensureRepositories(repositoriesFolder(installation));
  const { caFile } = ensureGitCertificate(installation.directory);
  const port = await choosePort(installation);
  return { caFile, repoUrl: (sample) => `https://${GIT_SERVER_ADDRESS}:${port}/${sample}.git` };
}

export function repositoriesFolder(installation: Installation): string {
  return join(installation.directory, "repositories");
}

/**
 * The one of the run before: the apps keep their repository's address.
 * @throws SetupError when something else listens on it by now
 */
async function choosePort(installation: Installation): Promise<number> {
  const { gitPort } = readMemory(installation);
  if (gitPort !== undefined) {
    const listener = listenerOn(gitPort);
    if (listener === undefined) return gitPort;
    throw new SetupError(
      `Port ${gitPort}, at which the sample apps' repositories are served, is taken.`,
      `${describeListener(listener)} listens on it.`,
      "Stop it and run the command again; or start afresh with `npm run quickstart -- --reset`.",
    );
  }
  const probe = createServer().listen(0, GIT_SERVER_ADDRESS);
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  remember(installation, { gitPort: port });
  return port;
}
