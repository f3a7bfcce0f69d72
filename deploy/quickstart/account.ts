import { z } from "zod";
import { admin } from "./admin.ts";
import { createApi, type Api } from "./api.ts";
import type { Installation } from "./installation.ts";
import { readMemory, remember } from "./memory.ts";
import { step } from "./progress.ts";

const EMAIL = "quickstart@example.com";

/** Of the tiers that exist, the first with room for all samples and a few apps of one's own. */
const TIER = "pro";

const Users = z.array(z.object({ email: z.string() }));
const Key = z.object({ key: z.string() });
const JoinToken = z.object({ token: z.string() });
const Servers = z.array(z.object({ id: z.string(), name: z.string() }));

/** A client with a key that works: the one of the run before, or a new one for the user, who is made when missing. */
export async function ensureAccount(installation: Installation): Promise<{ api: Api; apiKey: string }> {
  const known = readMemory(installation).apiKey;
  if (known !== undefined) {
    const api = createApi(installation.apiUrl, known);
    if (await api.keyWorks()) return { api, apiKey: known };
  }
  const users = Users.parse(await admin(installation, ["user", "list"]));
  if (!users.some(({ email }) => email === EMAIL)) {
    step(`Creating the user ${EMAIL}`);
    await admin(installation, ["user", "create", "--email", EMAIL, "--tier", TIER, "--verified"]);
  }
  step("Creating an API key");
  const { key } = Key.parse(await admin(installation, ["key", "create", "--email", EMAIL, "--name", "quickstart"]));
  remember(installation, { apiKey: key });
  return { api: createApi(installation.apiUrl, key), apiKey: key };
}

/** A token for an agent that has no identity yet. */
export async function createJoinToken(installation: Installation): Promise<string> {
  return JoinToken.parse(await admin(installation, ["server", "token"])).token;
}

/** Kept for --reset, which has to find what the agents made also when no database can be asked any more. */
export async function rememberServers(installation: Installation): Promise<void> {
  const servers = Servers.parse(await admin(installation, ["server", "list"]));
  const known = readMemory(installation).serverIds ?? [];
  remember(installation, { serverIds: [...new Set([...known, ...servers.map(({ id }) => id)])] });
}
