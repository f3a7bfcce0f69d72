import { LABEL_SERVER } from "@svc/shared/rules/labels.ts";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { callEngine, probeEngine, readEngine } from "../../setup/engine.mjs";
import { SetupError } from "../../setup/terminal.mjs";
import { z } from "zod";
import { requireClaim, tryToClaimDaemons } from "../daemons/claim.ts";
import { removeConnectionRate } from "./connection-rate.ts";
import { findDaemons, stopDaemons } from "../daemons/daemons.ts";
import type { Installation } from "../installation.ts";
import { readMemory } from "../memory.ts";
import { endProcesses, processesNaming } from "../daemons/processes.ts";
import { done, say } from "../progress.ts";
import { removeRoutingRules } from "./routing-rules.ts";

/** The proxy lets open requests finish. */
const STOP_MS_MAX = 15_000;

/** Removes everything that quickstarts of this installation made, after asking. Apps and their databases included. */
export async function reset(installation: Installation, options: { yes: boolean }): Promise<void> {
  const directories = [installation.controlPlaneDirectory, installation.agentDirectory, installation.directory];
  const present = directories.filter((folder) => existsSync(folder));
  if (present.length === 0)
    return say(`There is nothing to remove: none of its folders is in ${installation.dataDirectory}.`);
  say("This removes, for good:");
  say("  - all apps of this installation with their databases, images and networks");
  for (const directory of present) say(`  - ${directory}`);
  if (!options.yes && !(await confirmed())) return say("Nothing was removed.");

  const isClaimed = tryToClaimDaemons(installation);
  const requireStill = (): void => {
    if (isClaimed) requireClaim(installation);
  };
  await stopDaemons(findDaemons(installation));
  requireStill();
  await removeFromEngine(serverIds(installation));
  if (!(await hasOtherApps())) {
    await removeRoutingRules();
    await removeConnectionRate();
  }
  requireStill();
  const programs = directories.flatMap(processesNaming);
  await endProcesses(programs, STOP_MS_MAX);
  done("Stopped the daemons, the proxy, the name server and the database");
  requireStill();
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  done("Removed the folders. Docker, Caddy and the base images stay installed");
}

/** Lists the server ids of this installation's agents, as far as their folders still tell. */
function serverIds(installation: Installation): string[] {
  const identity = join(installation.agentDirectory, "identity/server.json");
  const own = existsSync(identity) ? [Identity.parse(JSON.parse(readFileSync(identity, "utf8"))).id] : [];
  return [...new Set([...own, ...(readMemory(installation).serverIds ?? [])])];
}

async function confirmed(): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new SetupError(
      "Nothing was removed.",
      "--reset asks first, and there is no terminal to ask on.",
      "Add --yes to skip the question.",
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question("Go on? [y/N] ")).trim().toLowerCase().startsWith("y");
  } finally {
    terminal.close();
  }
}

const Identity = z.object({ id: z.string() });
const Listed = z.array(z.object({ Id: z.string() }));
const Volumes = z.object({ Volumes: z.array(z.object({ Name: z.string() })).nullish() });

/** Removes from the engine what carries the label of one of our agents, and nothing else. */
async function removeFromEngine(serverIds: readonly string[]): Promise<void> {
  const probe = await probeEngine();
  if (!probe.answers) {
    throw new SetupError(
      "The apps could not be removed.",
      `The Docker Engine does not answer (${probe.reason}).`,
      "Start it and run the command again.",
    );
  }
  for (const serverId of serverIds) {
    const filters = new URLSearchParams({ filters: JSON.stringify({ label: [`${LABEL_SERVER}=${serverId}`] }) });
    const containers = Listed.parse(await readEngine(`/containers/json?all=1&${filters}`));
    for (const { Id } of containers) await remove(`/containers/${Id}?force=1&v=1`);
    const images = Listed.parse(await readEngine(`/images/json?${filters}`));
    for (const { Id } of images) await remove(`/images/${Id}?force=1`);
    const networks = Listed.parse(await readEngine(`/networks?${filters}`));
    for (const { Id } of networks) await remove(`/networks/${Id}`);
    const volumes = Volumes.parse(await readEngine(`/volumes?${filters}`)).Volumes ?? [];
    for (const { Name } of volumes) await remove(`/volumes/${Name}`);
    done(
      `Removed ${containers.length} containers, ${images.length} images, ${networks.length} networks, ${volumes.length} volumes`,
    );
  }
}

/** Tells whether another agent has apps here, which would set its routing rules again. */
async function hasOtherApps(): Promise<boolean> {
  const filters = new URLSearchParams({ filters: JSON.stringify({ label: [LABEL_SERVER] }) });
  return Listed.parse(await readEngine(`/networks?${filters}`)).length > 0;
}

async function remove(path: string): Promise<void> {
  (await callEngine("DELETE", path)).resume();
}
