import { answerOf, type App, type Service } from "../api/client.ts";
import { domainsOf } from "../api/domains.ts";
import { AWAY_MS_MAX } from "../api/patient-fetch.ts";
import { CliError, EXIT, failed } from "../output/cli-error.ts";
import type { components } from "../gen/api.ts";

type DomainState = components["schemas"]["DomainState"];

export interface DnsRecord {
  type: "TXT" | "CNAME";
  name: string;
  value: string;
}

/** How far a domain is: not proven, attached and not served yet, or served with its certificate. */
export type DomainStage =
  | { stage: "unproven"; detail: string; records: readonly DnsRecord[] }
  | { stage: "pending"; detail: string; records: readonly DnsRecord[] }
  | { stage: "active"; detail: string };

/** Records spread within minutes, mostly; a look costs a write of ten a minute while the domain is not proven. */
const PAUSE_MS = { first: 2_000, growth: 1.5, max: 20_000 };

/** Most records have spread, and the certificate is made. */
export const WAIT_MS_MAX = 15 * 60_000;

export interface Wait {
  show(stage: DomainStage): void;
  /** @throws when the user leaves */
  pause(ms: number): Promise<void>;
  /** Milliseconds, of a clock that is never set. */
  now(): number;
}

/**
 * Attaches the domain once it is proven, and looks at it until it is served; tells each change.
 * @returns the last stage: `active`, or how far it was when the wait was over
 * @throws CliError, unreachable after two minutes without the service
 */
export async function waitForDomain(look: () => Promise<DomainStage>, wait: Wait): Promise<DomainStage> {
  const deadline = wait.now() + WAIT_MS_MAX;
  let heardAt = wait.now();
  let stage: DomainStage | undefined;
  let shown = "";
  for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(pauseMs * PAUSE_MS.growth, PAUSE_MS.max)) {
    try {
      stage = await look();
      heardAt = wait.now();
      const facts = `${stage.stage} ${stage.detail}`;
      if (facts !== shown) wait.show(stage);
      shown = facts;
      if (stage.stage === "active") return stage;
    } catch (error) {
      const isAway = error instanceof CliError && error.exit === EXIT.unreachable;
      if (!isAway || !stage || wait.now() - heardAt > AWAY_MS_MAX) throw error;
    }
    if (wait.now() + pauseMs > deadline) return stage;
    await wait.pause(pauseMs);
  }
}

/** Looks at the domain, and attaches it when it is not yet. @throws CliError, or the signal's reason */
export function domainLook(
  service: Service,
  app: App,
  domain: string,
  signal: AbortSignal,
): () => Promise<DomainStage> {
  const address: DnsRecord = { type: "CNAME", name: domain, value: new URL(app.url).hostname };
  let isAttached = false;
  return async () => {
    if (!isAttached) {
      const unproven = await attach(service, app.name, domain, signal);
      if (unproven) return { ...unproven, records: [...unproven.records, address] };
      isAttached = true;
    }
    const params = { path: { name: app.name, domain } };
    const state = await answerOf(service, service.rest.GET("/api/apps/{name}/domains/{domain}", { params, signal }));
    return stageOf(state, address);
  };
}

/** @returns what is to be published first; undefined when the domain is attached */
async function attach(
  service: Service,
  name: string,
  domain: string,
  signal: AbortSignal,
): Promise<(DomainStage & { stage: "unproven" }) | undefined> {
  try {
    const add = service.rest.POST("/api/apps/{name}/domains", { params: { path: { name } }, body: { domain }, signal });
    await answerOf(service, add);
    return undefined;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { txt_record: record, txt_value: value } = error.fields;
    if (typeof record === "string" && typeof value === "string") {
      return { stage: "unproven", detail: error.message, records: [{ type: "TXT", name: record, value }] };
    }
    // An earlier call may have attached it.
    if (error.code === "domain_in_use" && (await domainsOf(service, name)).includes(domain)) return undefined;
    throw error;
  }
}

function stageOf({ status, cert, detail = "", missing = [] }: DomainState, address: DnsRecord): DomainStage {
  if (status === "active") {
    const by = cert === undefined ? "" : ` by ${cert.issuer} until ${cert.not_after}`;
    return { stage: "active", detail: `It is served with its certificate${by}.` };
  }
  const why = missing.length === 0 ? detail : missing.map((part) => part.detail).join(" ");
  const leadsElsewhere = missing.some(({ part }) => part === "address_record");
  return { stage: "pending", detail: why, records: leadsElsewhere ? [address] : [] };
}

/** Why the wait ended without success, and what goes on. */
export function waitedInVain(app: string, domain: string, { stage, detail }: DomainStage): CliError {
  const minutes = WAIT_MS_MAX / 60_000;
  return stage === "unproven"
    ? failed(
        "domain_not_verified",
        `${domain} was not proven within ${minutes} min, so it is not attached to ${app}. ${detail} Name servers may ` +
          `take hours: \`svc domains add ${domain}\` waits again.`,
      )
    : failed(
        "domain_pending",
        `${domain} is attached to ${app}, and was not served within ${minutes} min. ${detail} It goes on without svc: ` +
          `\`svc domains check ${domain}\` shows how far it is.`,
      );
}
