import { SvcError } from "@svc/shared/errors.ts";
import { lockApp, type AppRow } from "../db/apps.ts";
import { inTransaction, type Db } from "../db/database.ts";
import { findAppIdOfDomain, insertDomain, listDomainsOf } from "../db/domains.ts";
import { notify } from "../db/notify.ts";
import { checkCustomDomain, DOMAINS_PER_APP_MAX, type DomainProof } from "../domain/custom-domain.ts";
import { readProof } from "../domains/ownership.ts";
import { audit, type OperationContext } from "./context.ts";

/**
 * Attaches a domain whose ownership is published, and leads it to the app (specification, Custom domains).
 * @throws SvcError invalid_request, domain_reserved, domain_limit, domain_in_use, domain_not_verified
 */
export async function addDomain(ctx: OperationContext, app: AppRow, domain: string): Promise<void> {
  checkCustomDomain(domain, ctx.platform.domainRules);
  await requireRoom(ctx.db, app);
  await requireFree(ctx.db, app, domain);
  await requireProof(ctx, domain);
  await inTransaction(ctx.db, async (tx) => {
    // The app's row orders concurrent additions, or two of them could pass the limit together.
    if (!(await lockApp(tx, ctx.actor.userId, app.id)))
      throw new SvcError("not_found", "You have no app of that name.");
    await requireRoom(tx, app);
    if (!(await insertDomain(tx, app.id, domain))) throw inUse(domain);
    await audit(ctx, tx, { action: "domain.add", target: `app:${app.id}`, detail: { app: app.name, domain } });
    await notify(tx, "routes", app.id);
  });
  await ctx.hosts.syncApp(app.id);
}

async function requireRoom(db: Db, app: AppRow): Promise<void> {
  if ((await listDomainsOf(db, app.id)).length < DOMAINS_PER_APP_MAX) return;
  throw new SvcError(
    "domain_limit",
    `The app ${app.name} has ${DOMAINS_PER_APP_MAX} domains, which is the most allowed: remove one first.`,
  );
}

async function requireFree(db: Db, app: AppRow, domain: string): Promise<void> {
  const holder = await findAppIdOfDomain(db, domain);
  if (holder === undefined) return;
  if (holder === app.id) throw new SvcError("domain_in_use", `${domain} is attached to this app already.`);
  throw inUse(domain);
}

function inUse(domain: string): SvcError {
  return new SvcError("domain_in_use", `${domain} is in use on the platform: remove it from the other app first.`);
}

async function requireProof(ctx: OperationContext, domain: string): Promise<void> {
  const proof = await readProof(ctx.db, ctx.actor.userId, domain);
  const { values, trouble } = await ctx.domainChecks.txt(proof.record);
  if (values.includes(proof.value)) return;
  throw notVerified(domain, proof, trouble ?? (values.length > 0 ? "other" : "none"));
}

function notVerified(domain: string, { record, value }: DomainProof, seen: string): SvcError {
  const found =
    seen === "none"
      ? `There is no TXT record ${record} yet.`
      : seen === "other"
        ? `The TXT record ${record} has another value.`
        : `The TXT record ${record} could not be looked up (${seen}).`;
  const fields = { txt_record: record, txt_value: value };
  const sentence = `${found} Publish the value given here to prove that ${domain} is yours, wait for it to spread, and try again.`;
  return new SvcError("domain_not_verified", sentence, { fields });
}
