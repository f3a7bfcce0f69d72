import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { LoadTarget } from "../load/connections.ts";
import { eventually } from "../tools/eventually.ts";
import { freePorts } from "../tools/free-ports.ts";
import { startOwnEngine, type OwnEngine } from "../engine/own-engine.ts";
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

export interface TwoServers extends PlatformWithGit {
  /** server-1, where apps go first, and server-2, which joins when it is asked for. */
  first: TestServer;
  addSecond(): Promise<TestServer>;
}

const IMAGES = ["node:22-slim", "postgres:16"];

/** A platform whose hosts have engines of their own. */
export async function startTwoServers(): Promise<TwoServers> {
  const engines = [await startOwnEngine({ images: IMAGES, reachable: true })];
  const setup = await startPlatformWithGit({ agent: agentEnv(engines[0]!) }).catch(async (error: unknown) => {
    await engines[0]!.stop();
    throw error;
  });
  const { platform } = setup;
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
      const engine = await startOwnEngine({ images: IMAGES, reachable: true });
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
