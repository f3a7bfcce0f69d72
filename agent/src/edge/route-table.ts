import { mkdir } from "node:fs/promises";
import { SvcError } from "@svc/shared/errors.ts";
import { parseRoutes, serializeRoutes, withRoutesOfApp, type Route } from "./routes.ts";
import { readIfPresent, writeDurably } from "../platform/durable-file.ts";
import { routesFile } from "./name-server/name-server-files.ts";

/** The agent's side of the route table: its only writer. */
export interface RouteTable {
  /** @throws SvcError proxy_unavailable when the file can't be read */
  routes(): Promise<Route[]>;
  /** Replaces all of the app's routes by what `next` makes of them; one change at a time. */
  updateRoutes(appId: string, next: (current: readonly Route[]) => readonly Route[]): Promise<void>;
}

export function createRouteTable(dataDirectory: string): RouteTable {
  const file = routesFile(dataDirectory);
  let last: Promise<unknown> = Promise.resolve();

  async function read(): Promise<Route[]> {
    const text = await readIfPresent(file);
    if (text === undefined) return [];
    try {
      return parseRoutes(text);
    } catch (cause) {
      // An empty table instead would take every app off the net, and their containers for strays.
      throw new SvcError(
        "proxy_unavailable",
        `The route table ${file} can't be read. Restore it from a copy, or remove it and deploy each app again.`,
        { cause },
      );
    }
  }

  async function update(appId: string, next: (current: readonly Route[]) => readonly Route[]): Promise<void> {
    const before = await read();
    const routes = next(before.filter((route) => route.appId === appId));
    const after = serializeRoutes(withRoutesOfApp(before, appId, routes));
    if (after === serializeRoutes(before)) return;
    await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
    await writeDurably(file, after);
  }

  return {
    async routes() {
      await last;
      return read();
    },
    updateRoutes(appId, next) {
      const written = last.then(() => update(appId, next));
      last = written.catch(() => undefined);
      return written;
    },
  };
}
