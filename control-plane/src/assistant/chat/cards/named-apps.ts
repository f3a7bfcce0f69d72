import { refusalOf, ToolRefusal, type Service } from "../../service.ts";
import type { Call } from "../grammar/intents.ts";

/** Ids by the names that apps had when a card was shown. */
export type NamedApps = Readonly<Record<string, string>>;

/** The apps that the actions name; one that an action makes is not there yet. */
export async function readNamedApps(service: Service, actions: readonly Call[]): Promise<NamedApps> {
  const names = new Set(actions.map(({ input }) => String(input["app"])));
  const read = [...names].map(async (name) => [name, await readAppId(service, name)] as const);
  return Object.fromEntries(
    (await Promise.all(read)).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/**
 * Refuses a card whose name of an app has become another one's. An app that is gone is refused by the API.
 * @throws ToolRefusal
 */
export async function requireSameApps(service: Service, apps: NamedApps): Promise<void> {
  for (const [name, id] of Object.entries(apps)) {
    const now = await readAppId(service, name);
    if (now !== undefined && now !== id)
      throw new ToolRefusal(
        `${name} is another app than the one that the card was about. Nothing was done: ask again.`,
      );
  }
}

async function readAppId(service: Service, name: string): Promise<string | undefined> {
  const { data, error, response } = await service.GET("/api/apps/{name}", { params: { path: { name } } });
  if (response.status === 404) return undefined;
  if (!data) throw refusalOf(response, error);
  return data.app.id;
}
