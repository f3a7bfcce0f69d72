import { z } from "@hono/zod-openapi";
import { SvcError } from "@svc/shared/errors.ts";
import { requireServer } from "../../fleet/require-server.ts";
import type { Db } from "../../platform/database/database.ts";
import { readEvacuation, type EvacuationRow } from "./evacuations.store.ts";

export const EvacuationSchema = z.object({
  evacuation: z
    .object({
      state: z.enum(["running", "stopped", "done"]),
      moved: z.int().openapi({ description: "apps that have moved since it began" }),
      left: z.int().openapi({ description: "apps that live on the server still" }),
      moving: z.string().nullable().openapi({ description: "the app that moves now" }),
      reason: z.string().nullable().openapi({ description: "why it has stopped, or what it waits for" }),
    })
    .openapi("Evacuation"),
});

/** @throws SvcError not_found */
export async function readEvacuationView(db: Db, name: string): Promise<{ evacuation: EvacuationRow }> {
  const { id } = await requireServer(db, name);
  const evacuation = await readEvacuation(db, id);
  if (!evacuation) throw new SvcError("not_found", `The server ${name} has never been evacuated.`);
  const { state, moved, left, moving, reason } = evacuation;
  return { evacuation: { state, moved, left, moving, reason } };
}
