import { SvcError } from "@svc/shared/errors.ts";
import type { AppRow } from "../db/apps.ts";
import { hasDomain } from "../db/domains.ts";
import type { OperationContext } from "./context.ts";

export type DomainState =
  | { domain: string; status: "active"; cert: { issuer: string; not_after: string; dns_names: string[] } }
  | { domain: string; status: "pending"; detail: string };

/** What the domain serves now, seen from here (specification, GET domains/{domain}). @throws SvcError not_found */
export async function readDomain(ctx: OperationContext, app: AppRow, domain: string): Promise<DomainState> {
  if (!(await hasDomain(ctx.db, app.id, domain))) {
    throw new SvcError("not_found", `${domain.slice(0, 300)} is not attached to the app ${app.name}.`);
  }
  const seen = await ctx.domainChecks.handshake(domain);
  if ("error" in seen) return { domain, status: "pending", detail: seen.error };
  const { issuer, notAfter, dnsNames } = seen.cert;
  return { domain, status: "active", cert: { issuer, not_after: notAfter.toISOString(), dns_names: dnsNames } };
}
