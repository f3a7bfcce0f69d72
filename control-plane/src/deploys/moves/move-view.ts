import { z } from "@hono/zod-openapi";
import { SvcError } from "@svc/shared/errors.ts";
import type { Db } from "../../platform/database/database.ts";
import { DEPLOY_STATUSES } from "../deploy.ts";
import { readNewestMove, type MoveRow } from "./moves.store.ts";

export const MoveRequestSchema = z
  .strictObject({ server: z.string().openapi({ description: "name of the server that the app goes to" }) })
  .openapi("MoveRequest", { example: { server: "server-2" } });

const PHASES = ["carrying", "preparing", "starting", "routing", "done"] as const;

const MoveSchema = z
  .object({
    id: z.string().openapi({ format: "uuid" }),
    from: z.string().openapi({ example: "server-1" }),
    to: z.string().openapi({ example: "server-2" }),
    status: z.enum(DEPLOY_STATUSES),
    phase: z.enum(PHASES).openapi({ description: "what it does now; what it did last, when it has ended" }),
    error: z.string().nullable(),
    started_at: z.string().nullable().openapi({ format: "date-time" }),
    finished_at: z.string().nullable().openapi({ format: "date-time" }),
    refused_seconds: z
      .number()
      .nullable()
      .openapi({ description: "how long the app's requests were refused; null until it serves on the other server" }),
  })
  .openapi("Move");

export const MoveAnswerSchema = z.object({ move: MoveSchema });

/** The app's newest move. @throws SvcError not_found */
export async function readMoveView(db: Db, app: { id: string; name: string }) {
  const move = await readNewestMove(db, app.id);
  if (!move) throw new SvcError("not_found", `The app ${app.name} has never moved.`);
  return { move: viewOf(move) };
}

function viewOf(move: MoveRow) {
  const { id, from, to, status, error, startedAt, finishedAt, pausedAt, servedAt } = move;
  const refusedMs = pausedAt !== null && servedAt !== null ? servedAt.getTime() - Date.parse(pausedAt) : undefined;
  return {
    id,
    from,
    to,
    status,
    phase: phaseOf(move),
    error,
    started_at: startedAt?.toISOString() ?? null,
    finished_at: finishedAt?.toISOString() ?? null,
    refused_seconds: refusedMs === undefined ? null : Math.round(refusedMs / 100) / 10,
  };
}

/** The step that runs, or the last one that began. */
function phaseOf({ status, steps }: MoveRow): (typeof PHASES)[number] {
  if (status === "success") return "done";
  const begun = steps.findLastIndex((step) => step.status !== "pending" && step.status !== "skipped");
  return PHASES[Math.max(0, begun)]!;
}
