import { fork } from "node:child_process";
import { once } from "node:events";
import { constants, setPriority } from "node:os";
import { eventually } from "../tools/eventually.ts";
import type { Platform } from "../platform/platform.ts";
import type { PlatformWithAcme } from "../platform/platform-with-acme.ts";
import type { HandshakeOrder } from "./shake-hands-main.ts";

/** An app may have as many domains: the next one is refused. */
const DOMAINS = Array.from({ length: 10 }, (_, number) => `greedy-${number}.example.com`);
/** Names that nobody has registered. */
const STRANGERS = Array.from({ length: 300 }, (_, number) => `stranger-${number}.example.com`);
/** Certificates that one owner's custom domains may have within an hour (control-plane/decisions/017). */
const ORDERS_MAX = 6;

export interface CertificateTaker {
  setup: PlatformWithAcme;
  /** With the key of the owner who takes. */
  api: Platform["api"];
  app: string;
  attackMs: number;
}

/**
 * Registers and proves as many domains as the app may have, and shakes hands with all of them and with names that nobody
 * has, all at once and again and again.
 * @throws Error when more certificates were ordered than one owner may have, or the owner was not told
 */
export async function takeCertificates({ setup, api, app, attackMs }: CertificateTaker): Promise<void> {
  const { pebble, platform } = setup;
  const path = `/api/apps/${app}/domains`;
  const before = pebble.orderCount();
  for (const domain of DOMAINS) {
    await pebble.setAddresses(domain, ["127.0.0.1"]);
    const { txt_record: record, txt_value: value } = (await api("POST", path, { domain })).body as Proof;
    await pebble.setTxt(record, value);
    const { status, body } = await api("POST", path, { domain });
    if (status !== 201) throw new Error(`adding ${domain}: ${status} ${JSON.stringify(body)}`);
  }
  const { body: refusal } = await api("POST", path, { domain: "one-more.example.com" });
  if ((refusal as { error?: string }).error !== "domain_limit") throw new Error("an app may have more domains");

  await shakeHandsWith([...DOMAINS, ...STRANGERS], { port: platform.httpsPort, forMs: attackMs });

  const ordered = pebble.orderCount() - before;
  if (ordered !== ORDERS_MAX) throw new Error(`${ordered} certificates were ordered, and not ${ORDERS_MAX}`);
  await eventually(
    () => Promise.all(DOMAINS.map(async (domain) => stateOf((await api("GET", `${path}/${domain}`)).body as Domain))),
    (states) =>
      states.filter((state) => state.includes("share of one owner for custom domains")).length ===
      DOMAINS.length - ORDERS_MAX,
    { what: "the owner is told of each domain that waits that its share is used up", deadlineMs: 30_000 },
  );
}

interface Proof {
  txt_record: string;
  txt_value: string;
}

interface Domain {
  status: string;
  missing?: { part: string; detail: string }[];
}

function stateOf({ status, missing = [] }: Domain): string {
  return missing.find(({ part }) => part === "certificate")?.detail ?? status;
}

/** An attacker's own work is done in a process that goes after all others: he has machines of his own. */
async function shakeHandsWith(
  hosts: readonly string[],
  { port, forMs }: { port: number; forMs: number },
): Promise<void> {
  const main = new URL("shake-hands-main.ts", import.meta.url);
  const child = fork(main, [JSON.stringify({ hosts, port, forMs } satisfies HandshakeOrder)]);
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`the process that shakes hands ended with ${code}`);
}
