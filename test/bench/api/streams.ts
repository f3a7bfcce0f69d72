import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { byCommand } from "@svc/control-plane/platform/audit.store.ts";
import { insertEvents } from "@svc/control-plane/deploys/events/deploy-events.store.ts";
import { Authority } from "@svc/control-plane/fleet/authority/authority.ts";
import { createJoinToken } from "@svc/control-plane/fleet/joining/create-join-token.ts";
import { openKeyRing } from "@svc/control-plane/secrets/open-key-ring.ts";
import { startControlPlanes, type ControlPlanes } from "../../support/platform/control-planes.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { agentRequestPem, FakeAgent, joinFleet } from "../../support/agent/fleet.ts";
import { addLiveRelease } from "../../support/api/scripted-apps.ts";
import { median, type Figure } from "../figures.ts";

const USERS = 25;
const APPS_OF_USER = 2;
/** Followers of each app's log, and of each app's deploy: together as many as an app may have. */
const FOLLOWERS = 10;
/** Each app writes a line, and each deploy an event, so often. */
const PACE_MS = 1_000;
const TURNS = 4;
/** This is more than the head of an answer has. */
const HEARD_BYTES = 500;
/** Promised: followers do not slow other requests by more than twice. */
const RATIO_MAX = 2;

interface FollowedApp {
  name: string;
  key: string;
  deployId: string;
}

/**
 * GET /api/apps while 1,000 followers of 50 apps of 25 users get a line a second each, half of them of logs and half of
 * deploys, against the same without them. The control plane is a process of its own, whose memory is read from the kernel, and so is who asks: taking
 * what the followers get would delay it.
 */
export async function benchStreams(): Promise<Figure[]> {
  const ours = await startControlPlanes(1);
  const agent = new FakeAgent();
  let asker: ChildProcess | undefined;
  try {
    const apps = await prepare(ours, agent);
    const url = new URL("/api/apps", ours.baseUrls[0]);
    asker = fork(new URL("ask-in-turn-main.ts", import.meta.url), [url.href, apps[0]!.key]);
    const ask = async (): Promise<number[]> => {
      asker!.send("ask");
      return ((await once(asker!, "message")) as [number[]])[0];
    };
    await ask();
    const memory = () =>
      Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${ours.pids()[0]}/status`, "utf8"))![1]) / 1024;
    const memoryBefore = memory();
    const memoryWith: number[] = [];
    const [quiet, followed]: number[][][] = [[], []];
    for (let turn = 0; turn < TURNS; turn++) {
      quiet!.push(await ask());
      const followers = await followAll(url, apps);
      const stopTalking = talk(ours, agent, apps);
      // A thousand that join in one moment are no slower than a thousand other requests; what is asked here is what they cost then.
      await eventually(() => followers.every(({ bytesRead }) => bytesRead > HEARD_BYTES), Boolean, {
        what: "every follower has heard something",
      });
      followed!.push(await ask());
      memoryWith.push(memory());
      await stopTalking();
      const gone = followers.filter(({ destroyed }) => destroyed).length;
      if (gone > 0) throw new Error(`${gone} of ${followers.length} followers were let go`);
      for (const socket of followers) socket.destroy();
    }
    const figure = (what: string, at: number): Figure => ({
      bench: "streams",
      what: `GET /api/apps with ${USERS * APPS_OF_USER * FOLLOWERS * 2} followers, ${what} (promised: a ratio of ${RATIO_MAX})`,
      unit: "ms",
      values: followed!.map((times) => percentile(times, at)),
      floor: quiet!.map((times) => percentile(times, at)),
      floorIs: "the same without followers",
    });
    const figures = [figure("p50", 0.5), figure("p99", 0.99)];
    if (figures.some(({ values, floor }) => median(values) / median(floor) > RATIO_MAX)) process.exitCode = 1;
    return [
      ...figures,
      {
        bench: "streams",
        what: "memory of the control plane with the followers",
        unit: "MB",
        values: memoryWith,
        floor: [memoryBefore],
        floorIs: "without any",
      },
    ];
  } finally {
    asker?.disconnect();
    agent.kill();
    await ours.stop();
  }
}

/** A server whose agent is linked, and the apps that live on it, each with a deploy that runs. */
async function prepare(ours: ControlPlanes, agent: FakeAgent) {
  const { db } = ours.database;
  const [{ address, dataDirectory }] = ours.agents as [ControlPlanes["agents"][number]];
  const authority = await Authority.open(dataDirectory);
  const { token } = await createJoinToken(db, authority.fingerprint, byCommand);
  const identity = await joinFleet({ address, token, authorityPem: authority.certificatePem, csrPem: agentRequestPem });
  await agent.dialOut(address, identity, authority.certificatePem);
  const { serverId } = identity;
  const keyRing = await openKeyRing(db, ours.env["SVC_MASTER_KEY_FILE"]!);
  const apps: FollowedApp[] = [];
  for (let user = 0; user < USERS; user++) {
    const { userId, key } = await ours.addKey();
    for (let i = 0; i < APPS_OF_USER; i++) {
      const name = `app-${user}-${i}`;
      await fetch(`${ours.baseUrls[0]}/api/apps`, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        body: JSON.stringify({ name, repo_url: "https://git.example.test/team/app.git" }),
      });
      const { deployId } = await addLiveRelease({ db, keyRing }, { name, userId, serverId });
      // The deploy runs on a server that nobody works for.
      await ours.database.query("alter table deploys disable trigger deploys_next_status");
      await ours.database.query(
        `update deploys set status = 'running', finished_at = null, server_id = null, lease_until = now() + interval '1 hour'
         where id = $1`,
        [deployId],
      );
      apps.push({ name, key, deployId });
    }
  }
  await eventually(() => agent.isConnected, Boolean, { what: "the agent is linked" });
  return apps;
}

async function followAll({ hostname, port, host }: URL, apps: readonly FollowedApp[]): Promise<Socket[]> {
  const paths = ({ name, deployId }: FollowedApp) => [
    `/api/apps/${name}/logs?follow=1`,
    `/api/deploys/${deployId}/events`,
  ];
  const opened = apps.flatMap((app) =>
    paths(app).flatMap((path) =>
      Array.from({ length: FOLLOWERS }, async () => {
        const socket = connect(Number(port), hostname);
        await once(socket, "connect");
        socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${app.key}\r\n\r\n`);
        const [head] = (await once(socket, "data")) as [Buffer];
        if (!head.toString().startsWith("HTTP/1.1 200 ")) throw new Error(`${path} was answered: ${head.toString()}`);
        socket.on("error", () => undefined).resume();
        return socket;
      }),
    ),
  );
  return Promise.all(opened);
}

/** Every app and every deploy says something at the pace, until it is told to stop. */
function talk(ours: ControlPlanes, agent: FakeAgent, apps: readonly FollowedApp[]): () => Promise<void> {
  const { db } = ours.database;
  let isOver = false;
  let count = 0;
  const talking = (async () => {
    while (!isOver) {
      const beganAt = Date.now();
      agent.say(`line ${++count} of every app, as long as lines usually are, with a time and a request's path in it`);
      for (const { deployId } of apps) {
        const event = {
          kind: "log" as const,
          stepOrder: 2,
          payload: { lines: [`step ${count} of the build`], dropped: 0 },
        };
        await db.transaction().execute((tx) => insertEvents(tx, deployId, [event]));
      }
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, beganAt + PACE_MS - Date.now())));
    }
  })();
  return () => {
    isOver = true;
    return talking;
  };
}

function percentile(values: readonly number[], at: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * at))]!;
}
