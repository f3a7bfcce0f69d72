import { readFileSync, statSync } from "node:fs";
import { parseRoutes, ROUTE_TABLE_BYTES_MAX, type Route } from "./routes.ts";

/**
 * The route table as the agent last wrote it. Each call looks at the file's status (some microseconds), so that a
 * switch holds for the next query; a bad file is reported once and the last good table goes on.
 */
export class RouteTableReader {
  readonly #file: string;
  readonly #onBadFile: (reason: string) => void;
  #routes: ReadonlyMap<string, Route> | undefined;
  #seen = "";

  constructor(file: string, onBadFile: (reason: string) => void) {
    this.#file = file;
    this.#onBadFile = onBadFile;
  }

  /** @throws Error until a table could be read; no file at all is an empty table. */
  routes(): ReadonlyMap<string, Route> {
    this.load();
    if (!this.#routes) throw new Error("No route table could be read yet.");
    return this.#routes;
  }

  /** Reads the file where it has changed. */
  load(): void {
    const status = statSync(this.#file, { bigint: true, throwIfNoEntry: false });
    const seen = status ? `${status.ino} ${status.mtimeNs} ${status.size}` : "none";
    if (seen !== this.#seen) {
      this.#seen = seen;
      this.#read(status?.size);
    }
  }

  #read(size: bigint | undefined): void {
    if (size === undefined) {
      this.#routes ??= new Map();
      return;
    }
    try {
      if (size > ROUTE_TABLE_BYTES_MAX) throw new Error(`it has ${size} bytes`);
      const routes = parseRoutes(readFileSync(this.#file, "utf8"));
      this.#routes = new Map(routes.map((route) => [route.host, route]));
    } catch (error) {
      this.#onBadFile(error instanceof Error ? error.message : String(error));
    }
  }
}
