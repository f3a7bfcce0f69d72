import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openKeyRing } from "@svc/control-plane/secrets/open-key-ring.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { addLiveRelease } from "../../support/api/scripted-apps.ts";
import { startControlPlanes, type ControlPlanes } from "../../support/platform/control-planes.ts";
import type { Figure } from "../figures.ts";
import { signIn } from "./sign-in.ts";

const DASHBOARDS = 200;
const PEOPLE = 20;
const APPS_OF_PERSON = 5;
/** V8 compiles beside its work what the process was asked for before; it is done within this. */
const REST_MS = 40_000;
const SETTLE_MS = 10_000;
const MEASURED_MS = 40_000;
const ROUNDS = 2;
/** The kernel counts a process's time in these (proc_pid_stat(5)). */
const TICKS_A_SECOND = 100;
const ONE_PROMISED = 1;
const ALL_PROMISED = 20;

interface Dashboard {
  cookie: string;
  asks: { path: string; everyMs: number }[];
}

/**
 * How much of a core the control plane takes while people look at its pages: none, one, and 200. A page is what it asks for
 * again and again; half of them are lists of apps, half overviews of an app.
 */
export async function benchDashboards(): Promise<Figure[]> {
  const ours = await startControlPlanes(1);
  try {
    const all = await addDashboards(ours);
    await sleep(REST_MS);
    const [none, one, many]: number[][] = [[], [], []];
    for (let round = 0; round < ROUNDS; round++) {
      none!.push(await usedBy(ours, []));
      one!.push(await usedBy(ours, all.slice(0, 1)));
      many!.push(await usedBy(ours, all));
    }
    const figure = { bench: "dashboards", unit: "% of a core" as const, floorIs: "promised" };
    return [
      { ...figure, what: "nobody looks", values: none!, floor: [ONE_PROMISED] },
      { ...figure, what: "an app's overview is open", values: one!, floor: [ONE_PROMISED] },
      { ...figure, what: `${DASHBOARDS} pages are open`, values: many!, floor: [ALL_PROMISED] },
    ];
  } finally {
    await ours.stop();
  }
}

async function addDashboards(ours: ControlPlanes): Promise<Dashboard[]> {
  const { db, query } = ours.database;
  const keyRing = await openKeyRing(db, ours.env["SVC_MASTER_KEY_FILE"]!);
  const serverId = newId();
  await query("insert into servers (id, name, state, joined_at) values ($1, 'one', 'active', now())", [serverId]);
  const dashboards: Dashboard[] = [];
  for (let person = 0; person < PEOPLE; person++) {
    const { userId, key } = await ours.addKey();
    const names = Array.from({ length: APPS_OF_PERSON }, (_, i) => `app-${person}-${i}`);
    for (const name of names) {
      await addApp(ours.baseUrls[0]!, key, name);
      await addLiveRelease({ db, keyRing }, { name, userId, serverId });
    }
    const cookie = await signIn(ours, userId);
    for (const name of names) dashboards.push({ cookie, asks: overviewOf(name) }, { cookie, asks: LIST });
  }
  return dashboards.slice(0, DASHBOARDS);
}

const LIST = [{ path: "/api/apps", everyMs: 4_000 }];

const overviewOf = (name: string) => [
  { path: `/api/apps/${name}`, everyMs: 4_000 },
  { path: `/api/apps/${name}/deploys?limit=5`, everyMs: 8_000 },
  { path: `/api/apps/${name}/metrics?step=60`, everyMs: 12_000 },
];

async function addApp(baseUrl: string, key: string, name: string): Promise<void> {
  const reply = await fetch(`${baseUrl}/api/apps`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ name, repo_url: "https://git.example.test/team/app.git" }),
  });
  if (reply.status !== 201) throw new Error(`POST /api/apps was answered ${reply.status}: ${await reply.text()}`);
}

/** @returns percent of a core that the control plane takes, database not counted, while these pages are open */
async function usedBy(ours: ControlPlanes, dashboards: readonly Dashboard[]): Promise<number> {
  const closing = new AbortController();
  const pages = dashboards.map((dashboard) => keepOpen(ours.baseUrls[0]!, dashboard, closing.signal));
  await sleep(SETTLE_MS);
  const before = ticksOf(ours);
  const began = performance.now();
  await sleep(MEASURED_MS);
  const seconds = (performance.now() - began) / 1000;
  const used = (ticksOf(ours) - before) / TICKS_A_SECOND;
  closing.abort();
  await Promise.all(pages);
  return (100 * used) / seconds;
}

/** Asks from some moment on, as pages that were not opened together; all that one asks for keeps its pace from then on. */
async function keepOpen(baseUrl: string, { cookie, asks }: Dashboard, closing: AbortSignal): Promise<void> {
  const openedMs = performance.now() + Math.random() * Math.max(...asks.map(({ everyMs }) => everyMs));
  await Promise.all(
    asks.map(async ({ path, everyMs }) => {
      for (let at = openedMs; !closing.aborted; at += everyMs) {
        await sleep(Math.max(0, at - performance.now()), undefined, { signal: closing }).catch(() => undefined);
        if (closing.aborted) return;
        const reply = await fetch(baseUrl + path, { headers: { Cookie: cookie } });
        const text = await reply.text();
        if (reply.status !== 200) throw new Error(`${path} was answered ${reply.status}: ${text}`);
      }
    }),
  );
}

/** User and system time of the process (proc_pid_stat(5), fields 14 and 15). */
function ticksOf(ours: ControlPlanes): number {
  const stat = readFileSync(`/proc/${ours.pids()[0]}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}
