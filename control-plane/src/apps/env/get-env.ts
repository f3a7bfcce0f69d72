import type { AppRow } from "../app.ts";
import { auditRead, type OperationContext } from "../../platform/operation.ts";
import { readEnvVars } from "./env-vars.store.ts";
import { sealContext } from "../../ports.ts";

/**
 * The app's variables, decrypted, in the order of their keys, and the names of those that are sealed. Who reads them is
 * noted down first, once an hour.
 */
export async function getEnv(
  ctx: OperationContext,
  app: AppRow,
): Promise<{ env: Record<string, string>; sealed: string[] }> {
  await auditRead(ctx, ctx.db, { action: "env.read", target: `app:${app.id}` });
  const rows = await readEnvVars(ctx.db, app.id);
  const sealed = rows.filter((row) => row.sealed).map(({ key }) => key);
  const open = rows.filter((row) => !row.sealed);
  return { env: openRows(ctx, app.id, open), sealed };
}

/** Facts about variables besides their values. */
export interface EnvMarks {
  /** Names of those that are sealed. */
  sealed: readonly string[];
  /** By name, in ISO 8601. */
  writtenAt: Readonly<Record<string, string>>;
}

/** All of them, for the platform's own use. */
export async function openEnv(
  parts: Pick<OperationContext, "db" | "keyRing">,
  appId: string,
): Promise<Record<string, string>> {
  return (await openMarkedEnv(parts, appId)).env;
}

/** The same, with which of them are sealed, and when each was written. */
export async function openMarkedEnv(
  { db, keyRing }: Pick<OperationContext, "db" | "keyRing">,
  appId: string,
): Promise<{ env: Record<string, string> } & EnvMarks> {
  const rows = await readEnvVars(db, appId);
  return {
    env: openRows({ keyRing }, appId, rows),
    sealed: rows.filter((row) => row.sealed).map(({ key }) => key),
    writtenAt: Object.fromEntries(rows.map(({ key, updatedAt }) => [key, updatedAt.toISOString()])),
  };
}

function openRows(
  { keyRing }: Pick<OperationContext, "keyRing">,
  appId: string,
  rows: readonly { key: string; value: Buffer }[],
): Record<string, string> {
  return Object.fromEntries(rows.map(({ key, value }) => [key, keyRing.open(value, sealContext.env(appId, key))]));
}
