import { Redactor } from "@svc/shared/redact.ts";
import { readAppDatabase, readSealedEnv } from "../db/pipeline-inputs.ts";
import { sealContext } from "../ports.ts";
import type { PipelineContext } from "./context.ts";

/** The app's stored variables, decrypted. */
export async function openEnv({ db, keyRing }: PipelineContext, appId: string): Promise<Record<string, string>> {
  const rows = await readSealedEnv(db, appId);
  return Object.fromEntries(rows.map(({ key, value }) => [key, keyRing.open(value, sealContext.env(appId, key))]));
}

/** The URL of the provisioned database, once there is one. */
export async function openDatabaseUrl({ db, keyRing }: PipelineContext, appId: string): Promise<string | undefined> {
  const database = await readAppDatabase(db, appId);
  return database?.url ? keyRing.open(database.url, sealContext.databaseUrl(appId)) : undefined;
}

/** Hides every stored value and the database's password in step output and errors (decisions, Secrets in step output). */
export async function redactorFor(ctx: PipelineContext, appId: string): Promise<Redactor> {
  const secrets = Object.values(await openEnv(ctx, appId));
  const database = await readAppDatabase(ctx.db, appId);
  if (database) secrets.push(ctx.keyRing.open(database.password, sealContext.databasePassword(appId)));
  const url = await openDatabaseUrl(ctx, appId);
  if (url) secrets.push(url);
  return new Redactor(secrets);
}
