import { answerOf, api, done } from "../../client/api.ts";
import { startDeploy } from "../app/start-deploy.ts";
import { pathOfTab } from "../../text/places.ts";

export interface AppToMake {
  name: string;
  /** Id of its team; empty for one's own. */
  team: string;
  source: { repo_url: string; root?: string; needs_database: boolean } | { template: string };
  env: Readonly<Record<string, string>>;
}

/** Makes the app, begins its first deploy, and goes to where that can be watched. @throws Refusal */
export async function makeApp({ name, team, source, env }: AppToMake): Promise<void> {
  await answerOf(api.POST("/api/apps", { body: { name, ...source }, headers: teamHeader(team) }));
  // The app is there, even when the rest can't be done now: its page says why, when that is tried again.
  location.assign(await begin(name, env).catch(() => pathOfTab(name, "")));
}

async function begin(name: string, env: AppToMake["env"]): Promise<string> {
  const params = { path: { name } };
  if (Object.keys(env).length > 0) await done(api.PUT("/api/apps/{name}/env", { params, body: { env } }));
  return startDeploy(name);
}

/** Says for which of the person's teams something is made. */
export function teamHeader(team: string): Record<string, string> {
  return team === "" ? {} : { "Svc-Team": team };
}
