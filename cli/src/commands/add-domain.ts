import { setTimeout as delay } from "node:timers/promises";
import { requireApp } from "../api/apps.ts";
import { EXIT, type ExitStatus } from "../output/cli-error.ts";
import type { Invocation } from "../command-line/command.ts";
import { textTable } from "@svc/shared/platform/text-table.ts";
import { openApp } from "../project/which-app.ts";
import {
  domainLook,
  WAIT_MS_MAX,
  waitedInVain,
  waitForDomain,
  type DnsRecord,
  type DomainStage,
} from "./wait-for-domain.ts";

/** Attaches a domain: shows the records that it needs, then waits until it is proven and served. */
export async function addDomain(invocation: Invocation): Promise<ExitStatus> {
  const { args, flags, terminal } = invocation;
  const [domain = ""] = args;
  const { name, service } = await openApp(invocation);
  const app = await requireApp(service, name);
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  const look = domainLook(service, app, domain, leaving.signal);
  const detach = flags.isSet("detach");
  const textOf = stageTexts(domain, name, detach);
  let last: DomainStage | undefined;
  const show = (stage: DomainStage): void => {
    last = stage;
    terminal.result({ domain, app: name, ...stage }, textOf(stage));
  };
  process.once("SIGINT", leave);
  try {
    if (detach) {
      const stage = await look();
      show(stage);
      return stage.stage === "unproven" ? EXIT.failed : EXIT.success;
    }
    const end = await waitForDomain(look, {
      show,
      pause: (ms) => delay(ms, undefined, { signal: leaving.signal }),
      now: () => performance.now(),
    });
    if (end.stage !== "active") throw waitedInVain(name, domain, end);
    return EXIT.success;
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    terminal.note(
      last?.stage === "pending"
        ? `${domain} stays attached to ${name}: \`svc domains check ${domain}\` shows how far it is.`
        : `${domain} is not attached yet: \`svc domains add ${domain}\` goes on, \`svc domains\` lists what is.`,
    );
    return EXIT.interrupted;
  } finally {
    process.off("SIGINT", leave);
  }
}

/** Returns the text of each stage; records are shown once. */
function stageTexts(domain: string, app: string, detach: boolean): (stage: DomainStage) => string {
  const shown = new Set<string>();
  const tries = `svc looks again for ${WAIT_MS_MAX / 60_000} min at most; Ctrl-C leaves.`;
  let isFirst = true;
  return (stage) => {
    if (stage.stage === "active") return `https://${domain} leads to ${app}. ${stage.detail}`;
    const records = stage.records.filter(({ name, type }) => !shown.has(`${type} ${name}`));
    for (const { name, type } of records) shown.add(`${type} ${name}`);
    const attached = stage.stage === "pending" ? `${domain} is attached to ${app}. ` : "";
    const next = detach ? detachedText(stage.stage, domain) : isFirst ? `\n${tries}` : "";
    isFirst = false;
    return recordsText(domain, records) + attached + stage.detail + next;
  };
}

function detachedText(stage: "unproven" | "pending", domain: string): string {
  return stage === "unproven"
    ? "\nThen run the same command again."
    : `\n\`svc domains check ${domain}\` shows how far it is.`;
}

function recordsText(domain: string, records: readonly DnsRecord[]): string {
  if (records.length === 0) return "";
  const rows = records.map(({ name, type, value }) => [`  ${name}`, type, type === "TXT" ? `"${value}"` : value]);
  const address = records.find(({ type }) => type === "CNAME")?.value;
  const atTop =
    address === undefined
      ? ""
      : `Where no CNAME can be, as at the top of a zone: A and AAAA records with the addresses of ${address}.\n\n`;
  return `${domain} needs at its name servers:\n\n${textTable([["  NAME", "TYPE", "VALUE"], ...rows])}\n\n${atTop}`;
}
