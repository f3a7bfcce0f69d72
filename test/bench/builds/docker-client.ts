import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The client on the PATH, then the one of the engine's package. */
const CLIENTS = ["docker", "/usr/bin/docker"];

/** With which a person would build: the agent's builder too. */
export const BUILDKIT = { ...process.env, DOCKER_BUILDKIT: "1" };

let found: Promise<string> | undefined;

/**
 * A docker command that builds with BuildKit. Newer ones do so by a plugin, which not every machine has.
 * @throws Error when there is none
 */
export function dockerThatBuilds(): Promise<string> {
  return (found ??= find());
}

async function find(): Promise<string> {
  for (const client of CLIENTS) {
    const builds = await run(client, ["build", "--help"], { env: BUILDKIT }).then(
      () => true,
      () => false,
    );
    if (builds) return client;
  }
  throw new Error(`None of ${CLIENTS.join(", ")} builds with BuildKit: install Docker's buildx plugin.`);
}
