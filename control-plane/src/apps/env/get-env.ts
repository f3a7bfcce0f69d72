import type { AppRow } from "../app.ts";
import { audit, type OperationContext } from "../../platform/operation.ts";
import { readEnvVars } from "./env-vars.store.ts";
import { sealContext } from "../../ports.ts";

/**
 * The app's variables, decrypted, in the order of their keys, and the names of those that are sealed. Who has read them is
 * noted down first.
 */
export async function getEnv(
  ctx: OperationContext,
  app: AppRow,
): Promise<{ env: Record<string, string>; sealed: string[] }> {
  await audit(ctx, ctx.db, { action: "env.read", target: `app:${app.id}` });
  const rows = await readEnvVars(ctx.db, app.id);
  const sealed = rows.filter((row) => row.sealed).map(({ key }) => key);
  const open = rows.filter((row) => !row.sealed);
  return { env: openRows(ctx, app.id, open), sealed };
}

/** All of them, for the platform's own use. */
export async function openEnv(
  parts: Pick<OperationContext, "db" | "keyRing">,
  appId: string,
): Promise<Record<string, string>> {
  return (await openEnvWithSeals(parts, appId)).env;
}

/** The same, with the times when the sealed ones among them were written. */
export async function openEnvWithSeals(
  { db, keyRing }: Pick<OperationContext, "db" | "keyRing">,
  appId: string,
): Promise<{ env: Record<string, string>; sealed: ReadonlyMap<string, Date> }> {
  const rows = await readEnvVars(db, appId);
  const sealed = new Map(rows.filter((row) => row.sealed).map(({ key, updatedAt }) => [key, updatedAt]));
  return { env: openRows({ keyRing }, appId, rows), sealed };
}

function openRows(
  { keyRing }: Pick<OperationContext, "keyRing">,
  appId: string,
  rows: readonly { key: string; value: Buffer }[],
): Record<string, string> {
  return Object.fromEntries(rows.map(({ key, value }) => [key, keyRing.open(value, sealContext.env(appId, key))]));
}
