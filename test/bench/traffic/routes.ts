import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import { readNameServerInfo } from "@svc/agent/edge/name-server/name-server-files.ts";
import { UPSTREAM_CACHE_MS } from "@svc/agent/edge/routes.ts";
import { routeTo, startTestEdge, startUpstream, type TestEdge, type Upstream } from "../../support/platform/edge.ts";
import { median, type Figure } from "../figures.ts";

const REFRESH_MS = [50, 100, 250, 500, 1000];
const ROUTES = [1, 500];
/** Half for the host that is switched, half for all others in turn, so that nearly each of those needs a look-up. */
const PER_SECOND = 400;
const SWITCHES = 10;
const LOAD_MS = 4_000;
/** The ticks of the kernel's accounting in /proc/<pid>/stat (sysconf(3), _SC_CLK_TCK). */
const TICKS_PER_SECOND = 100;
const APP = "01900000-0000-7000-8000-000000000000";

interface Row {
  "refresh ms": number;
  routes: number;
  "switch ms, median": number;
  "switch ms, longest": number;
  "name server, % of a core": number;
  "request ms, p50": number;
  "request ms, p99": number;
  lost: number;
}

/** Measures what the refresh time costs, and what a switch costs with 500 routes beside one. */
export async function benchRoutes(): Promise<Figure[]> {
  const containers = [await startUpstream("blue"), await startUpstream("green")];
  const rows: Row[] = [];
  const delays = new Map<string, number[]>();
  try {
    for (const refreshMs of REFRESH_MS) {
      const edge = await startTestEdge({ upstreamCacheMs: refreshMs });
      try {
        for (const routes of ROUTES) {
          const { row, switches } = await measure(edge, containers, routes);
          rows.push({ "refresh ms": refreshMs, routes, ...row });
          delays.set(`${refreshMs} ${routes}`, switches);
        }
      } finally {
        await edge.cleanUp();
      }
    }
  } finally {
    await Promise.all(containers.map((container) => container.close()));
  }
  console.table(rows);
  console.log(JSON.stringify({ routes: rows }));
  if (rows.some(({ lost }) => lost > 0)) process.exitCode = 1;
  return [
    {
      bench: "routes",
      what: `switch with 500 routes, refresh ${UPSTREAM_CACHE_MS} ms`,
      unit: "ms",
      values: delays.get(`${UPSTREAM_CACHE_MS} 500`) ?? [],
      floor: delays.get(`${UPSTREAM_CACHE_MS} 1`) ?? [],
      floorIs: "the same with one route",
    },
  ];
}

type Measured = Omit<Row, "refresh ms" | "routes">;

async function measure(
  edge: TestEdge,
  containers: Upstream[],
  count: number,
): Promise<{ row: Measured; switches: number[] }> {
  const hosts = Array.from({ length: count }, (_, i) => `app-${i}.test`);
  const leadTo = (container: Upstream): Promise<void> =>
    edge.proxy.setRoutes(
      APP,
      hosts.map((host) => routeTo(host, APP, container)),
    );
  await leadTo(containers[0]!);
  const client = await connectTo(edge, hosts[0]!);
  try {
    for (const host of hosts) {
      const { status } = await client.get(host);
      if (status !== 200) throw new Error(`${host} is answered ${status}`);
    }
    const load = startRoundRobin(client, hosts);
    const { pid } = readNameServerInfo(edge.dataDirectory)!;
    const [ticks, since] = [cpuTicks(pid), performance.now()];
    await delay(LOAD_MS);
    const seconds = (performance.now() - since) / 1000;
    const share = ((cpuTicks(pid) - ticks) / TICKS_PER_SECOND / seconds) * 100;
    const switches: number[] = [];
    for (let i = 1; i <= SWITCHES; i++) {
      // Not in step with the refresh.
      await delay(Math.random() * 100);
      const to = containers[i % 2]!;
      const began = performance.now();
      await leadTo(to);
      while ((await client.get(hosts[0]!)).body !== to.name) await delay(1);
      switches.push(performance.now() - began);
    }
    const { ms, lost } = await load.stop();
    const round = (value: number): number => Math.round(value * 10) / 10;
    const sorted = ms.toSorted((a, b) => a - b);
    const row = {
      "switch ms, median": round(median(switches)),
      "switch ms, longest": round(Math.max(...switches)),
      "name server, % of a core": round(share),
      "request ms, p50": round(median(sorted)),
      "request ms, p99": round(sorted[Math.floor(sorted.length * 0.99)] ?? 0),
      lost,
    };
    return { row, switches };
  } finally {
    client.close();
  }
}

interface Client {
  get(host: string): Promise<{ status: number; body: string }>;
  close(): void;
}

/** All hosts over few connections, as one name's: 500 certificates are not what is measured. */
async function connectTo(edge: TestEdge, servername: string): Promise<Client> {
  const { internalCaPem: ca } = await edge.proxy.describe();
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const base = { host: "127.0.0.1", port: edge.httpsPort, servername, ca, agent };
  return {
    get: (host) =>
      new Promise((resolve, reject) => {
        const req = request({ ...base, headers: { host } }, (res) => {
          let body = "";
          res.setEncoding("utf8");
          res.on("data", (chunk: string) => (body += chunk));
          res.on("end", () => resolve({ status: res.statusCode ?? 0, body }));
          res.on("error", reject);
        });
        req.on("error", reject);
        req.end();
      }),
    close: () => agent.destroy(),
  };
}

function startRoundRobin(client: Client, hosts: readonly string[]) {
  const ms: number[] = [];
  const open = new Set<Promise<void>>();
  let [sent, lost] = [0, 0];
  async function send(host: string): Promise<void> {
    const began = performance.now();
    const { status } = await client.get(host).catch(() => ({ status: 0 }));
    if (status === 200) ms.push(performance.now() - began);
    else lost++;
  }
  const hostOf = (number: number): string => hosts[number % 2 === 0 ? 0 : (number >> 1) % hosts.length]!;
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * PER_SECOND;
    while (sent < due) {
      const one = send(hostOf(sent++)).finally(() => open.delete(one));
      open.add(one);
    }
  }, 5);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      return { ms, lost };
    },
  };
}

/** User and system time of a process: fields 14 and 15 (proc(5)), after a name that may hold spaces. */
function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return Number(fields[11]) + Number(fields[12]);
}
