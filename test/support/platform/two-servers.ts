import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { LoadTarget } from "../load/connections.ts";
import { eventually } from "../tools/eventually.ts";
import { freePorts } from "../tools/free-ports.ts";
import { startOwnEngine, type OwnEngine, type OwnEngineOptions } from "../engine/own-engine.ts";
import { AGENT } from "./bundles.ts";
import { Daemon, fetchThroughProxy } from "./platform.ts";
import { startPlatformWithGit, type PlatformWithGit } from "./platform-with-git.ts";
import { endProcessesOf } from "./remove-host.ts";

/** A host of the fleet: an engine and an agent of its own. */
export interface TestServer {
  name: string;
  engine: OwnEngine;
  agent: Daemon;
  dataDirectory: string;
  httpsPort: number;
  fetchApp(app: string, path?: string): ReturnType<typeof fetchThroughProxy>;
  target(app: string): LoadTarget;
}

/** The answer of `GET /api/apps/{name}/move`. */
export interface Move {
  id: string;
  from: string;
  to: string;
  status: string;
  phase: string;
  error: string | null;
  refused_seconds: number | null;
}

export interface TwoServers extends PlatformWithGit {
  /** server-1, where apps go first, and server-2, which joins when it is asked for. */
  first: TestServer;
  addSecond(): Promise<TestServer>;
  /** Asks again while something of the app is still being removed or taken back. */
  beginMove(app: string, to: TestServer): Promise<Move>;
  /** The app's newest move, once it has ended; the control plane may be away meanwhile. */
  endOfMove(app: string): Promise<Move>;
}

const SETTLED_MS_MAX = 120_000;
/** A move waits 30 s for an agent that is away, for each of its steps. */
const END_MS_MAX = 360_000;

/** Images and databases are carried several times: in memory, no test waits for a disk that both hosts share. */
const ENGINE: OwnEngineOptions = {
  images: ["node:22-slim", "postgres:16"],
  reachable: true,
  diskMegabytes: 8_192,
  inMemory: true,
};

/** A platform whose hosts have engines of their own. */
export async function startTwoServers(): Promise<TwoServers> {
  const engines = [await startOwnEngine(ENGINE)];
  const setup = await startPlatformWithGit({ agent: agentEnv(engines[0]!) }).catch(async (error: unknown) => {
    await engines[0]!.stop();
    throw error;
  });
  const { platform } = setup;
  const [owner] = JSON.parse(await platform.admin("user", "list", "--json")) as { id: string }[];
  // Whose apps may name a server (decision 037).
  await platform.admin("team", "pools", "--team", owner!.id, "--pools", "default");
  const agents: { agent: Daemon; dataDirectory: string }[] = [];

  function server(parts: Pick<TestServer, "name" | "engine" | "agent" | "dataDirectory" | "httpsPort">): TestServer {
    const { dataDirectory, httpsPort: port } = parts;
    const hostOf = (app: string): string => `${app}.${platform.appsDomain}`;
    const ca = (): string => readFileSync(join(dataDirectory, "internal-ca.pem"), "utf8");
    return {
      ...parts,
      fetchApp: (app, path = "/") => fetchThroughProxy({ host: hostOf(app), port, path, ca: ca() }),
      target: (app) => ({ host: hostOf(app), port, ca: ca() }),
    };
  }

  return {
    ...setup,
    first: server({
      name: "server-1",
      engine: engines[0]!,
      agent: platform.agent,
      dataDirectory: platform.agentDataDir,
      httpsPort: platform.httpsPort,
    }),
    async addSecond() {
      const engine = await startOwnEngine(ENGINE);
      engines.push(engine);
      const [http, https, agentHttp] = (await freePorts(3)) as [number, number, number];
      const name = `server-${engines.length}`;
      const { token } = JSON.parse(await platform.admin("server", "token", "--name", name, "--json")) as {
        token: string;
      };
      const dataDirectory = join(platform.directory, name);
      const env = {
        SVC_CONTROL_PLANE: platform.agentsAddress,
        SVC_JOIN_TOKEN: token,
        SVC_DATA_DIR: dataDirectory,
        SVC_HTTP_PORT: String(http),
        SVC_HTTPS_PORT: String(https),
        SVC_AGENT_HTTP: `127.0.0.1:${agentHttp}`,
        ...agentEnv(engine),
      };
      const agent = new Daemon(AGENT, env, `http://127.0.0.1:${agentHttp}/readyz`, `${dataDirectory}.log`);
      agents.push({ agent, dataDirectory });
      await agent.start();
      await eventually(
        () => platform.admin("server", "list", "--json"),
        (text) => (JSON.parse(text) as { name: string; linked: boolean }[]).some((s) => s.name === name && s.linked),
        { what: `${name} is linked`, deadlineMs: 45_000 },
      );
      return server({ name, engine, agent, dataDirectory, httpsPort: https });
    },
    async beginMove(app, { name }) {
      const ask = () => platform.api("POST", `/api/apps/${app}/move`, { server: name });
      const { status, body } = await eventually(ask, (answer) => answer.status !== 409, {
        what: `${app} may move`,
        deadlineMs: SETTLED_MS_MAX,
      });
      if (status !== 202) throw new Error(`move ${app} to ${name}: ${status} ${JSON.stringify(body)}`);
      return (body as { move: Move }).move;
    },
    async endOfMove(app) {
      const read = async (): Promise<Move | undefined> => {
        const answer = await platform.api("GET", `/api/apps/${app}/move`).catch(() => undefined);
        return (answer?.body as { move?: Move } | undefined)?.move;
      };
      const hasEnded = (move: Move | undefined): boolean => !!move && !["pending", "running"].includes(move.status);
      const move = await eventually(read, hasEnded, { what: `the move of ${app} ends`, deadlineMs: END_MS_MAX });
      return move!;
    },
    async stop() {
      for (const { agent, dataDirectory } of agents) {
        await agent.stop();
        await endProcessesOf(dataDirectory);
      }
      await setup.stop();
      for (const engine of engines) await engine.stop();
    },
  };
}

function agentEnv(engine: OwnEngine): Record<string, string> {
  return {
    DOCKER_HOST: engine.host,
    SVC_ADDRESS_BLOCK: engine.block,
    SVC_ISOLATION: "off",
    SVC_BUILD_CAPS: "off",
  };
}
