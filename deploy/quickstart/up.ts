import { existsSync } from "node:fs";
import { join } from "node:path";
import { formatHostPort } from "@svc/shared/platform/env.ts";
import { createJoinToken, ensureAccount, firstPage, rememberServers } from "./service/account.ts";
import { checkPorts } from "./daemons/check-ports.ts";
import { claimDaemons, requireClaim } from "./daemons/claim.ts";
import {
  agentDaemon,
  controlPlaneDaemon,
  findDaemons,
  gitServerDaemon,
  startDaemon,
  stopDaemons,
  type Daemon,
} from "./daemons/daemons.ts";
import { deployApp } from "./service/deploy-app.ts";
import { appUrl, type Installation } from "./installation.ts";
import type { Process } from "./daemons/processes.ts";
import { done, step } from "./progress.ts";
import { waitUntilReady } from "./daemons/ready.ts";
import { prepareSampleGit, type SampleGit } from "./git/sample-git.ts";
import { visitHello } from "./service/visit-app.ts";

/** The sample that is deployed, and the name of its app. */
export const SAMPLE = "hello";

export interface Running {
  apiKey: string;
  /** Where the user goes with a browser. */
  page: string;
  git: SampleGit;
}

/** The daemons that a run has started. */
export type OwnDaemons = Map<Daemon["name"], Process>;

/**
 * Brings up the sample app, fetched and checked; the daemons run when it returns.
 * @param daemons where each daemon is noted when it has been started
 * @param signal after which no further daemon is started
 * @throws SetupError
 */
export async function bringUp(installation: Installation, daemons: OwnDaemons, signal: AbortSignal): Promise<Running> {
  claimDaemons(installation);
  if ((await stopDaemons(findDaemons(installation))) > 0) done("Stopped the daemons of an earlier run");
  requireClaim(installation);
  checkPorts(installation);

  const git = await prepareSampleGit(installation);
  const start = (daemon: Daemon): Process => {
    signal.throwIfAborted();
    requireClaim(installation);
    const started = startDaemon(installation, daemon);
    daemons.set(daemon.name, started);
    // A claim in between may not have seen it; this run ends it then.
    requireClaim(installation);
    return started;
  };
  start(gitServerDaemon(installation));

  step("Starting the control plane, and with it its database");
  const controlPlane = start(controlPlaneDaemon(installation, git.caFile));
  await waitUntilReady(installation, "control-plane", controlPlane, `${installation.apiUrl}/readyz`);
  done(`The control plane answers at ${installation.apiUrl}`);

  step("Starting the agent, and with it the proxy");
  const agent = start(agentDaemon(installation, await joinTokenIfNeeded(installation)));
  await waitUntilReady(installation, "agent", agent, `http://${formatHostPort(installation.agentHttp)}/readyz`);
  await rememberServers(installation);
  done("The agent has joined and is ready");

  const service = await ensureAccount(installation);
  await deployApp(service, { name: SAMPLE, repo_url: git.repoUrl(SAMPLE), needs_database: true });

  step(`Fetching ${appUrl(installation, SAMPLE)} with its certificate verified`);
  const visits = await visitHello(installation, SAMPLE);
  done(`The app answers; its database counts ${visits} visits`);
  return { apiKey: service.access.key, page: await firstPage(installation), git };
}

/** An agent that has joined before is identified by its certificate. */
async function joinTokenIfNeeded(installation: Installation): Promise<string | undefined> {
  const joined = existsSync(join(installation.agentDirectory, "identity"));
  return joined ? undefined : createJoinToken(installation);
}
