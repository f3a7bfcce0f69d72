import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { byCommand } from "@svc/control-plane/platform/audit.store.ts";
import { insertEvents } from "@svc/control-plane/deploys/events/deploy-events.store.ts";
import { createJoinToken } from "@svc/control-plane/fleet/joining/create-join-token.ts";
import { openAuthority } from "@svc/control-plane/fleet/authority/open-authority.ts";
import { loadIdentity } from "@svc/agent/link/identity.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { newDataDirectory, startAgentInProcess, type AgentInProcess } from "../../support/agent/agent-in-process.ts";
import { startControlPlanes, type ControlPlanes } from "../../support/platform/control-planes.ts";
import { eventually } from "../../support/tools/eventually.ts";
import type { Figure } from "../figures.ts";

const DEPLOYS = 10;
/** The followers of each deploy, as many as an app may have; the others follow deploys that say little. */
const FOLLOWERS = 20;
const QUIET_DEPLOYS = 15;
const LOG_BYTES = 12 * 1024 * 1024;
const LINE = `${"x".repeat(118)}\n`;
const REST_MS = 60_000;

interface Followed {
  name: string;
  key: string;
  deployId: string;
}

/** The control plane's memory a minute after ten deploys at once with 12 MB of log each and 500 followers. */
export async function benchMemory(): Promise<Figure[]> {
  const ours = await startControlPlanes(1);
  const agents: AgentInProcess[] = [];
  try {
    for (let i = 0; i < DEPLOYS; i++) agents.push(await startTalker(ours));
    const quiet = await quietDeploys(ours);
    await sleep(10_000);
    const before = memoryOf(ours);
    let peak = 0;
    const watch = setInterval(() => (peak = Math.max(peak, memoryOf(ours))), 100);
    const loud = await Promise.all(agents.map((agent) => deployOn(ours, agent)));
    const followers = (await Promise.all([...loud, ...quiet].map((each) => followAll(ours, each)))).flat();
    release.resolve();
    await Promise.all(loud.map(({ deployId }) => ended(ours, deployId)));
    for (const { deployId } of quiet) await say(ours, deployId);
    for (const socket of followers) socket.destroy();
    clearInterval(watch);
    await sleep(REST_MS);
    const after = memoryOf(ours);
    const figure = (what: string, value: number): Figure => ({
      bench: "memory",
      what: `memory of the control plane, ${what}`,
      unit: "MB",
      values: [value],
      floor: [before],
      floorIs: "before",
    });
    return [
      figure(`at its most while ten deploys have 12 MB of log each and ${followers.length} followers`, peak),
      figure("a minute later (aim: a ratio of 1.5)", after),
    ];
  } finally {
    await Promise.all(agents.map((agent) => agent.stop()));
    await ours.stop();
  }
}

const release = Promise.withResolvers<void>();

function memoryOf(ours: ControlPlanes): number {
  return Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${ours.pids()[0]}/status`, "utf8"))![1]) / 1024;
}

/** A server whose builds write their log, and say no more. */
async function startTalker(ours: ControlPlanes): Promise<AgentInProcess> {
  const { address, dataDirectory } = ours.agents[0]!;
  const { fingerprint } = await openAuthority(ours.database.db, dataDirectory);
  const { token } = await createJoinToken(ours.database.db, fingerprint, byCommand);
  const agent = await startAgentInProcess(await newDataDirectory(), { controlPlane: address, joinToken: token });
  agent.script.run = async ({ output }) => {
    await release.promise;
    for (let bytes = 0, line = 0; bytes < LOG_BYTES; bytes += LINE.length, line++) {
      output.log(LINE);
      if (line % 500 === 0) await sleep(5);
    }
    const value = {
      commitSha: "a".repeat(40),
      framework: "express",
      port: 3000,
      imageDigest: `sha256:${"b".repeat(64)}`,
    };
    return { case: "cloneBuild", value };
  };
  return agent;
}

async function call(ours: ControlPlanes, key: string, path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await fetch(ours.baseUrls[0] + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}`);
  return (await answer.json()) as Record<string, unknown>;
}

async function addApp(ours: ControlPlanes): Promise<{ name: string; key: string; userId: string }> {
  const { key, userId } = await ours.addKey();
  const name = `app-${newId().slice(-12)}`;
  await call(ours, key, "/api/apps", { name, repo_url: "https://git.example.test/team/app.git" });
  return { name, key, userId };
}

async function deployOn(ours: ControlPlanes, agent: AgentInProcess): Promise<Followed> {
  const { serverId } = (await loadIdentity(agent.dataDirectory))!;
  const { name, key } = await addApp(ours);
  await ours.database.query("update apps set server_id = $2 where name = $1", [name, serverId]);
  const { deploy_id: deployId } = await call(ours, key, `/api/apps/${name}/deploy`, {});
  return { name, key, deployId: String(deployId) };
}

/** Deploys that run on a server that nobody works for. */
async function quietDeploys(ours: ControlPlanes): Promise<Followed[]> {
  const made: Followed[] = [];
  for (let i = 0; i < QUIET_DEPLOYS; i++) {
    const { name, key, userId } = await addApp(ours);
    const deployId = newId();
    await ours.database.query(
      `insert into deploys (id, app_id, user_id, status, release, started_at, lease_until)
       select $1, id, $2, 'running', 'v1', now(), now() + interval '1 hour' from apps where name = $3`,
      [deployId, userId, name],
    );
    made.push({ name, key, deployId });
  }
  return made;
}

async function say(ours: ControlPlanes, deployId: string): Promise<void> {
  const event = { kind: "log" as const, stepOrder: 2, payload: { lines: ["one line"], dropped: 0 } };
  await ours.database.db.transaction().execute((tx) => insertEvents(tx, deployId, [event]));
}

async function ended(ours: ControlPlanes, deployId: string): Promise<unknown> {
  return eventually(
    () => ours.database.query("select status from deploys where id = $1", [deployId]),
    ({ rows }) => rows[0]!["status"] !== "running",
    { what: "the deploy ends", deadlineMs: 180_000, intervalMs: 500 },
  );
}

async function followAll(ours: ControlPlanes, { key, deployId }: Followed): Promise<Socket[]> {
  const { hostname, port, host } = new URL(ours.baseUrls[0]!);
  const path = `/api/deploys/${deployId}/events`;
  return Promise.all(
    Array.from({ length: FOLLOWERS }, async () => {
      const socket = connect(Number(port), hostname);
      await once(socket, "connect");
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`);
      const [head] = (await once(socket, "data")) as [Buffer];
      if (!head.toString().startsWith("HTTP/1.1 200 ")) throw new Error(`${path} was answered: ${head.toString()}`);
      socket.on("error", () => undefined).resume();
      return socket;
    }),
  );
}
