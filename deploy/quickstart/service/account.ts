import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { answerOf, connect, type Service } from "svc-cli/api/client.ts";
import { CliError } from "svc-cli/output/cli-error.ts";
import { z } from "zod";
import { bundlePath, type Installation } from "../installation.ts";
import { readMemory, remember } from "../memory.ts";
import { say, step } from "../progress.ts";
import { SetupError } from "../../setup/terminal.mjs";

const EMAIL = "quickstart@example.com";

/** The first tier with room for all samples and a few apps of one's own. */
const TIER = "pro";

const Users = z.array(z.object({ email: z.string(), can_sign_in: z.boolean() }));
const Key = z.object({ key: z.string() });
const Invited = z.object({ link: z.string() });
const JoinToken = z.object({ token: z.string() });
const Servers = z.array(z.object({ id: z.string(), name: z.string() }));

/** The service with a key that works: the one of the run before, or a new one for the user, who is made when missing. */
export async function ensureAccount(installation: Installation): Promise<Service> {
  const known = readMemory(installation).apiKey;
  if (known !== undefined) {
    const service = serviceOf(installation, known);
    if (await keyWorks(service)) return service;
  }
  const users = Users.parse(await admin(installation, ["user", "list"]));
  if (!users.some(({ email }) => email === EMAIL)) {
    step(`Creating the user ${EMAIL}`);
    // The person who sets the service up runs it: the pages of servers and of all teams are theirs.
    await admin(installation, ["user", "create", "--email", EMAIL, "--tier", TIER, "--verified", "--operator"]);
  }
  step("Creating an API key");
  const { key } = Key.parse(await admin(installation, ["key", "create", "--email", EMAIL, "--name", "quickstart"]));
  remember(installation, { apiKey: key });
  return serviceOf(installation, key);
}

/** Where the user's pages begin: a one-time link that sets a password, or the sign-in once there is a way to. */
export async function firstPage(installation: Installation): Promise<string> {
  const users = Users.parse(await admin(installation, ["user", "list"]));
  if (users.some(({ email, can_sign_in }) => email === EMAIL && can_sign_in)) return `${installation.apiUrl}/sign-in`;
  return Invited.parse(await admin(installation, ["user", "invite", "--email", EMAIL])).link;
}

function serviceOf(installation: Installation, key: string): Service {
  return connect({ url: installation.apiUrl, key }, (seconds) => say(`    waiting ${seconds} s: too many changes`));
}

async function keyWorks(service: Service): Promise<boolean> {
  try {
    await answerOf(service, service.rest.GET("/api/apps"));
    return true;
  } catch (error) {
    if (error instanceof CliError && error.code === "not_authenticated") return false;
    throw error;
  }
}

/** A token for an agent that has no identity yet. */
export async function createJoinToken(installation: Installation): Promise<string> {
  return JoinToken.parse(await admin(installation, ["server", "token"])).token;
}

/** Is kept for --reset, which has to find what the agents made also when no database can be asked any more. */
export async function rememberServers(installation: Installation): Promise<void> {
  const servers = Servers.parse(await admin(installation, ["server", "list"]));
  const known = readMemory(installation).serverIds ?? [];
  remember(installation, { serverIds: [...new Set([...known, ...servers.map(({ id }) => id)])] });
}

/**
 * Runs an operator's command (`npm run admin -- …`) and gives its JSON.
 * @throws SetupError with the command's own sentence
 */
async function admin(installation: Installation, args: readonly string[]): Promise<unknown> {
  const env = { ...process.env, SVC_DATA_DIR: installation.controlPlaneDirectory };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [bundlePath("admin"), ...args, "--json"], { env });
    return JSON.parse(stdout);
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
    throw new SetupError(
      `npm run admin -- ${args.join(" ")} failed.`,
      said,
      "Remove the cause and run the command again.",
    );
  }
}
