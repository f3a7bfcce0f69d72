import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { planBuild } from "@svc/shared/frameworks/plan-build.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { fetchThroughProxy } from "../../support/platform/platform.ts";
import { freePorts } from "../../support/tools/free-ports.ts";
import { APP_CAPS } from "./app-caps.ts";
import { BUILDKIT, dockerThatBuilds } from "./docker-client.ts";

const run = promisify(execFile);

export interface Hand {
  /** Deploys what the repository has and resolves when the proxy answers with the release. @returns milliseconds */
  deploy(release: string): Promise<number>;
  stop(): Promise<void>;
}

interface HandSetup {
  directory: string;
  repoUrl: string;
  caFile: string;
  files: Readonly<Record<string, string>>;
}

const HOST = "hand.apps.localhost";

/**
 * The same work as a person with a shell would do it: fetch, docker build with the same Dockerfile, docker run with the
 * same caps, wait for the port, switch the proxy, look. A Caddy of its own, whose upstream is patched through its API.
 */
export async function startHand({ directory, repoUrl, caFile, files }: HandSetup): Promise<Hand> {
  mkdirSync(directory, { recursive: true });
  const id = newId();
  const [port] = (await freePorts(1)) as [number];
  const tree = { list: () => Object.keys(files), read: (path: string) => files[path] };
  const plan = planBuild(tree, undefined, {
    appId: id,
    port: undefined,
    buildEnvKeys: [],
    build: undefined,
    start: undefined,
  });
  if (!("text" in plan.dockerfile)) throw new Error("the benchmark's app has a generated Dockerfile");
  const dockerfile = join(directory, "Dockerfile");
  writeFileSync(dockerfile, plan.dockerfile.text);
  const docker = await dockerThatBuilds();
  const network = `hand-${id}`;
  await run("docker", ["network", "create", network]);
  const caddy = await startCaddy(directory, port);
  let serving: string | undefined;
  const containers: string[] = [];

  return {
    async deploy(release) {
      const began = performance.now();
      const clone = join(directory, "clone");
      rmSync(clone, { recursive: true, force: true });
      const git = (...args: string[]) =>
        run("git", ["-C", clone, ...args], { env: { ...process.env, GIT_SSL_CAINFO: caFile } });
      await run("git", ["init", "--quiet", clone]);
      await git("fetch", "--quiet", "--depth", "1", "--no-tags", "--", repoUrl, "HEAD");
      await git("checkout", "--quiet", "--detach", "FETCH_HEAD");
      const { stdout: image } = await run(docker, ["build", "--quiet", "--file", dockerfile, "--tag", network, clone], {
        env: BUILDKIT,
      });
      const { stdout: container } = await run("docker", [
        "run",
        "--detach",
        ...APP_CAPS,
        "--network",
        network,
        "--env",
        `PORT=${plan.port}`,
        "--env",
        `SVC_RELEASE=${release}`,
        image.trim(),
      ]);
      containers.push(container.trim());
      const format = "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}";
      const { stdout: address } = await run("docker", ["inspect", "--format", format, container.trim()]);
      await eventually(() => connects(address.trim(), plan.port), Boolean, { what: "the port opens", intervalMs: 10 });
      await caddy.switchTo(`${address.trim()}:${plan.port}`);
      await eventually(
        async () => (await caddy.fetch()).body,
        (body) => body.includes(release),
        { what: `${release} is served`, intervalMs: 10 },
      );
      const took = performance.now() - began;
      // Draining the old one is not counted, on either side.
      if (serving) await run("docker", ["rm", "--force", serving]);
      serving = container.trim();
      return took;
    },
    async stop() {
      // None was started when the first build failed, whose reason is to be seen.
      if (containers.length > 0) await run("docker", ["rm", "--force", ...containers]);
      await run("docker", ["network", "rm", network]);
      await run("docker", ["rmi", "--force", network]);
      caddy.process.kill();
      await once(caddy.process, "exit");
    },
  };
}

function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port });
    const end = (connected: boolean) => () => {
      socket.destroy();
      resolve(connected);
    };
    socket.once("connect", end(true)).once("error", end(false));
  });
}

async function startCaddy(directory: string, port: number) {
  const [adminPort] = (await freePorts(1)) as [number];
  const admin = `127.0.0.1:${adminPort}`;
  const config = {
    admin: { listen: admin },
    storage: { module: "file_system", root: join(directory, "caddy") },
    apps: {
      http: {
        servers: {
          edge: {
            listen: [`127.0.0.1:${port}`],
            automatic_https: { disable_redirects: true },
            routes: [
              {
                match: [{ host: [HOST] }],
                handle: [{ "@id": "hand", handler: "reverse_proxy", upstreams: [{ dial: "127.0.0.1:1" }] }],
              },
            ],
          },
        },
      },
      tls: { automation: { policies: [{ subjects: [HOST], issuers: [{ module: "internal" }] }] } },
      pki: { certificate_authorities: { local: { install_trust: false } } },
    },
  };
  const file = join(directory, "caddy.json");
  writeFileSync(file, JSON.stringify(config));
  const process: ChildProcess = spawn("caddy", ["run", "--config", file], { stdio: "ignore" });
  const root = join(directory, "caddy/pki/authorities/local/root.crt");
  const ca = await eventually(
    () => {
      try {
        return readFileSync(root, "utf8");
      } catch {
        return "";
      }
    },
    (pem) => pem !== "",
    { what: "Caddy has its root" },
  );
  const fetch = () => fetchThroughProxy({ host: HOST, port, path: "/", ca });
  await eventually(
    () =>
      fetch().then(
        () => true,
        () => false,
      ),
    Boolean,
    { what: "Caddy answers" },
  );
  return {
    process,
    fetch,
    switchTo: (dial: string) =>
      run("curl", [
        "--silent",
        "--fail",
        "--request",
        "PATCH",
        "--header",
        "content-type: application/json",
        "--data",
        JSON.stringify([{ dial }]),
        `http://${admin}/id/hand/upstreams`,
      ]),
  };
}
