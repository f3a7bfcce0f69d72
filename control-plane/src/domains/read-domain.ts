import { timestampDate } from "@bufbuild/protobuf/wkt";
import { notAttached } from "./custom-domain.ts";
import type { AppRow } from "../apps/app.ts";
import { readRootOfApp } from "./domain-checks.store.ts";
import { hasDomain, readRoutedApp } from "./domains.store.ts";
import { readProof } from "./ownership.ts";
import type { AddressAnswer } from "../ports.ts";
import type { OperationContext } from "../platform/operation.ts";

export type DomainState = { domain: string; missing?: MissingPart[] } & (
  | { status: "active"; cert: { issuer: string; not_after: string; dns_names: string[] } }
  | { status: "pending"; detail: string }
);

/** A part that a domain still needs, or has lost: a sentence for its owner. */
export interface MissingPart {
  part: "txt_record" | "address_record" | "certificate";
  detail: string;
}

/** The agent reads two small files. */
const AGENT_MS_MAX = 5_000;

/**
 * Looks at what the domain serves now, seen from here.
 * @throws SvcError not_found
 */
export async function readDomain(ctx: OperationContext, app: AppRow, domain: string): Promise<DomainState> {
  if (!(await hasDomain(ctx.db, app.id, domain))) {
    throw notAttached(app, domain);
  }
  const ownName = `${app.name}.${ctx.platform.appsDomain}`;
  const [seen, txt, address] = await Promise.all([
    ctx.domainChecks.handshake(domain, ownName),
    missingTxt(ctx, app, domain),
    addressOf(ctx, app, domain, ownName),
  ]);
  const missing: MissingPart[] = [...txt];
  if (!address.leadsHere) missing.push({ part: "address_record", detail: address.detail });
  if ("error" in seen) {
    missing.push({ part: "certificate", detail: await whyNoCertificate(ctx, app, domain, address.leadsHere) });
    return { domain, status: "pending", detail: seen.error, missing };
  }
  const { issuer, notAfter, dnsNames } = seen.cert;
  const cert = { issuer, not_after: notAfter.toISOString(), dns_names: dnsNames };
  return { domain, status: "active", cert, ...(missing.length > 0 && { missing }) };
}

async function missingTxt(ctx: OperationContext, app: AppRow, domain: string): Promise<MissingPart[]> {
  const { record, value } = await readProof(ctx.db, app.owner_id, domain);
  const { values, trouble } = await ctx.domainChecks.txt(record);
  if (values.includes(value)) return [];
  const detail =
    trouble === undefined
      ? `The TXT record ${record} with the value ${value} is not published.`
      : `The TXT record ${record} could not be looked up (${trouble}).`;
  return [{ part: "txt_record", detail }];
}

async function addressOf(ctx: OperationContext, app: AppRow, domain: string, ownName: string): Promise<AddressAnswer> {
  const rootPem = await readRootOfApp(ctx.db, app.id);
  if (rootPem !== undefined) return ctx.domainChecks.address(domain, { ownName, rootPem });
  return { leadsHere: false, detail: `${app.name} is on no server yet: deploy it first.`, trouble: false };
}

async function whyNoCertificate(
  ctx: OperationContext,
  app: AppRow,
  domain: string,
  leadsHere: boolean,
): Promise<string> {
  if (!leadsHere) return `It is ordered as soon as the address record of ${domain} leads to the app's server.`;
  const routed = await readRoutedApp(ctx.db, app.id);
  const agent = routed && ctx.links.agent(routed.serverId);
  if (!agent) return "It is being ordered.";
  const known = await agent.getCertificate({ host: domain }, { timeoutMs: AGENT_MS_MAX }).catch(() => undefined);
  if (known?.usedUp && known.nextOrderAt) {
    const { usedUp, nextOrderAt } = known;
    return `It is not ordered yet: ${usedUp}. Orders go on at ${timestampDate(nextOrderAt).toISOString()}.`;
  }
  if (!known?.failure) return "It is being ordered.";
  const next = known.nextOrderAt ? `at ${timestampDate(known.nextOrderAt).toISOString()}` : "now";
  return `The last order failed: ${known.failure}. The next one is permitted ${next}.`;
}
