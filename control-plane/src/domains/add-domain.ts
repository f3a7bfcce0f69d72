import { SvcError } from "@svc/shared/errors.ts";
import type { AppRow } from "../apps/app.ts";
import { insertAudit } from "../platform/audit.store.ts";
import { inTransaction, type Db } from "../platform/database/database.ts";
import { deleteDomain, findDomainHolder, insertDomain, listDomainsOf, type DomainHolder } from "./domains.store.ts";
import { notify } from "../platform/database/notify.ts";
import { checkCustomDomain, DOMAINS_PER_APP_MAX, type DomainProof } from "./custom-domain.ts";
import { permitsApp } from "../platform/scope.ts";
import { readProof } from "./ownership.ts";
import { audit, type OperationContext } from "../platform/operation.ts";
import { lockOwnApp } from "../apps/find-app.ts";

/**
 * Attaches a domain whose ownership is published, and leads it to the app. Another owner
 * gives way whose proof is not published any more.
 * @throws SvcError invalid_request, domain_reserved, domain_limit, domain_in_use, domain_not_verified
 */
export async function addDomain(ctx: OperationContext, app: AppRow, domain: string): Promise<void> {
  checkCustomDomain(domain, ctx.platform.domainRules);
  await requireRoom(ctx.db, app);
  const holder = await findDomainHolder(ctx.db, domain);
  if (holder?.ownerId === ctx.actor.teamId) throw ownInUse(ctx, holder, app, domain);
  await requireProof(ctx, domain, holder);
  await inTransaction(ctx.db, async (tx) => {
    // The app's row orders concurrent additions, or two of them could pass the limit together.
    await lockOwnApp(ctx, tx, app);
    await requireRoom(tx, app);
    if (holder) await takeFrom(tx, holder, domain, ctx.requestId);
    if (!(await insertDomain(tx, app.id, domain))) throw inUse(domain, await readProof(tx, ctx.actor.teamId, domain));
    await audit(ctx, tx, { action: "domain.add", target: `app:${app.id}`, detail: { app: app.name, domain } });
    await notify(tx, "routes", app.id);
  });
  // One host leads to one app: it is taken away before it is given.
  if (holder) await ctx.hosts.syncApp(holder.appId);
  await ctx.hosts.syncApp(app.id);
}

async function takeFrom(tx: Db, holder: DomainHolder, domain: string, requestId: string): Promise<void> {
  const { appId, appName, ownerId } = holder;
  if (!(await deleteDomain(tx, appId, domain))) return;
  const detail = { app: appName, domain };
  await insertAudit(tx, { actor: "system", action: "domain.lost", target: `app:${appId}`, requestId, ownerId, detail });
  await notify(tx, "routes", appId);
}

async function requireRoom(db: Db, app: AppRow): Promise<void> {
  if ((await listDomainsOf(db, app.id)).length < DOMAINS_PER_APP_MAX) return;
  throw new SvcError(
    "domain_limit",
    `The app ${app.name} has ${DOMAINS_PER_APP_MAX} domains, which is the most allowed: remove one first.`,
  );
}

function ownInUse({ actor }: OperationContext, holder: DomainHolder, app: AppRow, domain: string): SvcError {
  // A key that is limited to some apps learns nothing of the others.
  const other = permitsApp(actor, holder.appName) ? `your app ${holder.appName}` : "another of your apps";
  return new SvcError(
    "domain_in_use",
    holder.appId === app.id
      ? `${domain} is attached to this app already.`
      : `${domain} is attached to ${other}: remove it there first.`,
  );
}

function inUse(domain: string, { record, value }: DomainProof): SvcError {
  return new SvcError(
    "domain_in_use",
    `${domain} is in use by another owner. If it is yours, publish ${value} as the only value of the TXT record ${record}, ` +
      "wait for it to spread, and try again: then it comes to this app.",
    { fields: { txt_record: record, txt_value: value } },
  );
}

async function requireProof(ctx: OperationContext, domain: string, holder: DomainHolder | undefined): Promise<void> {
  const proof = await readProof(ctx.db, ctx.actor.teamId, domain);
  const { values, trouble } = await ctx.domainChecks.txt(proof.record);
  const isProven = values.includes(proof.value);
  if (holder) {
    const former = await readProof(ctx.db, holder.ownerId, domain);
    if (!isProven || values.includes(former.value)) throw inUse(domain, proof);
  }
  if (!isProven) throw notVerified(domain, proof, trouble ?? (values.length > 0 ? "other" : "none"));
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
