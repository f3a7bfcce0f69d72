import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { nodeApp } from "../support/platform/apps.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";

/** The host fails under the agent: its engine, its disk. */
const run = promisify(execFile);
let setup: PlatformWithGit | undefined;
const cleanUps: (() => Promise<unknown> | void)[] = [];

afterEach(async () => {
  await setup?.stop();
  setup = undefined;
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "svc-host-"));
  cleanUps.push(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

describe("an engine that is down", () => {
  it("fails the deploy with a sentence, frees the lock, and the live release serves on; then all works again", async () => {
    const engine = new EngineSocket(join(temporaryDirectory(), "docker.sock"));
    await engine.open();
    cleanUps.push(() => engine.close());
    setup = await startPlatformWithGit({ agent: { DOCKER_HOST: `unix://${engine.path}` } });
    const { platform } = setup;
    await setup.createApp("shop", nodeApp('return "live"'));
    expect((await platform.deploy("shop")).deploy.status).toBe("success");
    await engine.close();
    const { deploy } = await platform.deploy("shop");
    expect(deploy).toMatchObject({ status: "failed", error: expect.stringMatching(/Docker|engine/) });
    expect((await platform.fetchApp("shop")).body).toBe("live");
    await engine.open();
    expect((await platform.deploy("shop")).deploy.status).toBe("success");
    expect((await platform.fetchApp("shop")).body).toBe("live");
  });
});

describe("a disk that is full", () => {
  it("fails the deploy with a sentence and leaves room again", async () => {
    const mount = temporaryDirectory();
    // The 2 GiB that a fetch leaves free, and 48 MiB.
    await run("mount", ["-t", "tmpfs", "-o", "size=2096m", "tmpfs", mount]);
    cleanUps.push(() => run("umount", ["--lazy", mount]));
    setup = await startPlatformWithGit({ agent: { SVC_DATA_DIR: join(mount, "agent") } });
    const { platform } = setup;
    const repository = await setup.createApp("shop", nodeApp('return "live"'));
    expect((await platform.deploy("shop")).deploy.status).toBe("success");
    // Random, so that it does not get smaller on its way; nobody shall try.
    await repository.git("config", "core.compression", "0");
    await repository.commit({ "large.bin": randomBytes(40 * 1024 * 1024) });
    const { deploy } = await platform.deploy("shop");
    expect(deploy).toMatchObject({ status: "failed", error: expect.stringMatching(/disk|space/i) });
    expect((await platform.fetchApp("shop")).body).toBe("live");
    await repository.git("rm", "--quiet", "large.bin");
    await repository.commit({ "server.js": String(nodeApp('return "smaller"')["server.js"]) });
    expect((await platform.deploy("shop")).deploy.status).toBe("success");
    expect((await platform.fetchApp("shop")).body).toBe("smaller");
  });
});

/** The engine's socket, behind one that can go away. */
class EngineSocket {
  readonly path: string;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();

  constructor(path: string) {
    this.path = path;
  }

  async open(): Promise<void> {
    this.#server = createServer({ allowHalfOpen: true }, (client) => {
      const engine = createConnection({ path: "/var/run/docker.sock", allowHalfOpen: true });
      for (const socket of [client, engine]) {
        this.#sockets.add(socket);
        socket.on("error", () => undefined).on("close", () => this.#sockets.delete(socket));
      }
      client.pipe(engine).pipe(client);
    }).listen(this.path);
    await once(this.#server, "listening");
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(server, "close");
  }
}
