import pg from "pg";

/** Text of a query → its name. */
const names = new Map<string, string>();

/** From now on each connection parses and plans the query once (PREPARE). */
export function prepareOncePerConnection(name: string, text: string): void {
  names.set(text, name);
}

/** A connection that sends those by name. */
export class PreparingClient extends pg.Client {
  // The driver has a dozen ways to ask; ours is text with values, in which Kysely asks.
  override query(...args: unknown[]): never {
    const [text, values, ...rest] = args;
    const name = typeof text === "string" ? names.get(text) : undefined;
    const asked = name === undefined ? args : [{ name, text, values }, ...rest];
    return (super.query as (...args: unknown[]) => never)(...asked);
  }
}
