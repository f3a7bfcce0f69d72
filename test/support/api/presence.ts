import { randomUUID } from "node:crypto";
import pg from "pg";
import { showPresence } from "@svc/control-plane/platform/database/process-presence.store.ts";

/** Another process of the control plane, as far as the database knows. */
export interface Presence {
  processId: string;
  /** Its death. */
  end(): Promise<void>;
}

export async function startPresence(url: string): Promise<Presence> {
  const processId = randomUUID();
  const session = new pg.Client({ connectionString: url });
  await session.connect();
  await showPresence(session, processId);
  return { processId, end: () => session.end() };
}
