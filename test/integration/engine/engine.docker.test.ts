import { readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HostNames } from "@svc/agent/engine/network/host-names.ts";
import { connectDocker } from "@svc/agent/engine/connection.ts";
import { createDockerEngine } from "@svc/agent/engine/engine.ts";
import { containerBody, networkNameOf } from "@svc/agent/engine/containers/container-spec.ts";
import { parseCidr } from "@svc/agent/engine/network/address-block.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { LineRedactor } from "@svc/shared/redaction/line-redactor.ts";
import { Redactor } from "@svc/shared/redaction/redact.ts";
import { LINES_BEFORE } from "@svc/shared/rules/log-line.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { afterAll, describe, expect, test } from "vitest";
import { promisesOfAnEngine } from "../../contract/engine.contract.ts";
import { createTestEngine, newApp, nodeContainer, TEST_BLOCK } from "../../support/engine/docker.ts";

const LINES = "for (let i = 1; i <= 5; i++) console.log('line ' + i); setInterval(() => {}, 1000)";

promisesOfAnEngine(() => {
  const { engine, again, makeImage, cleanUp } = createTestEngine();
  return {
    engine,
    stranger: again({ serverId: newId() }),
    makeImage: (app, deployId) => makeImage(app, deployId, LINES),
    exhaustMemory: async (id) => {
      await engine.exec(id, ["node", "-e", "for (const all = []; ; ) all.push(Buffer.alloc(1 << 20, 1))"], "");
    },
    exhaustProcesses: async (id) => {
      await engine.exec(id, ["sh", "-c", "bomb() { bomb | bomb & }; bomb > /dev/null 2>&1 < /dev/null"], "");
    },
    cleanUp,
  };
});

const testEngine = createTestEngine();
const { engine, docker, serverId } = testEngine;
afterAll(() => testEngine.cleanUp());

const IDLE = "setInterval(() => {}, 1000)";

async function logOf(id: string, follow = true): Promise<string[]> {
  const texts: string[] = [];
  for await (const batch of engine.logs(id, { lines: 500, follow })) texts.push(...batch.map(({ text }) => text));
  return texts;
}

test("a command in a container that ends meanwhile ends with it, or is told that it does not run", async () => {
  const seen = new Set<string>();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      const app = newApp();
      await engine.ensureNetwork(app);
      const { id } = await engine.run(nodeContainer(app, "", { command: ["sleep", "0.4"] }));
      await untilItThrows(() => engine.exec(id, ["true"], "")).catch((error: unknown) => {
        seen.add((error as { code?: string }).code ?? String(error));
      });
      await engine.remove(id);
      await engine.removeNetwork(app);
    }),
  );
  expect([...seen]).toEqual(["not_found"]);
});

async function untilItThrows(work: () => Promise<unknown>): Promise<never> {
  for (;;) await work();
}

test("a container that runs is removed with its layer and the volumes that nobody named, and a named one keeps its files", async () => {
  const app = newApp();
  await engine.ensureNetwork(app);
  const fill =
    'for d in /tmp /var/lib/anonymous /data; do seq -f "$d/%g" 1 1500 | xargs touch; done; echo full; sleep 1000';
  const spec = nodeContainer(app, "", { command: ["sh", "-c", fill], volumes: { "/data": "data" } });
  const { address } = await engine.run(spec);
  await engine.remove((await engine.list({ appId: app.id }))[0]!.id);
  const image = { id: "node:22-slim", startsAsRoot: true };
  const body = containerBody(spec, { serverId, address, image });
  const { id } = await docker.createContainer({ ...body, Volumes: { "/var/lib/anonymous": {} } });
  await docker.getContainer(id).start();
  for await (const [line] of engine.logs(id, { lines: 10, follow: true })) if (line?.text === "full") break;
  const { Mounts: mounts } = await docker.getContainer(id).inspect();
  const unnamed = mounts.find(({ Destination: path }) => path === "/var/lib/anonymous")!.Name!;

  await engine.remove(id);

  expect(await engine.list({ appId: app.id })).toEqual([]);
  await expect(docker.getVolume(unnamed).inspect()).rejects.toMatchObject({ statusCode: 404 });
  const reader = await engine.run(nodeContainer(app, IDLE, { volumes: { "/data": "data" } }));
  expect((await engine.exec(reader.id, ["sh", "-c", "ls /data | wc -l"], "")).output.trim()).toBe("1500");
  await engine.remove(reader.id);
  await engine.removeVolumes(app);
  await engine.removeNetwork(app);
});

describe("addresses", () => {
  test("a network avoids what somebody else took, and a block without room is named", async () => {
    const app = newApp();
    const small = testEngine.again({ addressBlock: parseCidr("10.223.0.0/25")! });
    const foreign = await docker.createNetwork({
      Name: `foreign-${serverId}`,
      Labels: { "svc.server": serverId },
      IPAM: { Config: [{ Subnet: "10.223.0.0/28" }] },
    });
    try {
      await small.ensureNetwork(app);
      const { IPAM } = await docker.getNetwork(networkNameOf(app)).inspect();
      expect(IPAM?.Config?.[0]).toMatchObject({
        Subnet: "10.223.0.64/26",
        Gateway: "10.223.0.65",
        IPRange: "10.223.0.64/28",
      });
      await expect(small.ensureNetwork(newApp())).rejects.toMatchObject({
        code: "address_block_exhausted",
        message: expect.stringContaining("10.223.0.0/25"),
      });
    } finally {
      await foreign.remove();
      await small.removeNetwork(app);
    }
  });

  test("apps that come at once all get a network of their own", async () => {
    const apps = Array.from({ length: 4 }, () => newApp());
    const other = testEngine.again();
    await Promise.all(apps.map((app, index) => (index % 2 ? engine : other).ensureNetwork(app)));
    const networks = await Promise.all(apps.map((app) => docker.getNetwork(networkNameOf(app)).inspect()));
    expect(new Set(networks.map(({ IPAM }) => IPAM?.Config?.[0]?.Subnet)).size).toBe(4);
    await Promise.all(apps.map((app) => engine.removeNetwork(app)));
  });
});

describe("what an earlier run left", () => {
  const image = { id: "node:22-slim", startsAsRoot: true };

  test("a container that was made and not started is started", async () => {
    const spec = nodeContainer(newApp(), IDLE);
    await engine.ensureNetwork(spec.app);
    const { IPAM } = await docker.getNetwork(networkNameOf(spec.app)).inspect();
    const address = IPAM!.Config![0]!.Subnet!.replace(/\d+\/26$/, (end) => String(Number.parseInt(end) + 16));
    const left = await docker.createContainer(containerBody(spec, { serverId, address, image }));
    expect(await engine.run(spec)).toMatchObject({ id: left.id, state: "running", address });
  });

  test("of two containers of one identity, the one that runs is kept", async () => {
    const spec = nodeContainer(newApp(), IDLE);
    const running = await engine.run(spec);
    const body = containerBody(spec, { serverId, address: running.address, image });
    await docker.createContainer({ ...body, name: `twin-${serverId}` });
    expect(await engine.run(spec)).toMatchObject({ id: running.id });
    expect(await engine.list({ appId: spec.app.id })).toHaveLength(1);
  });

  test("a container of ours under the name of the new one gives the name up and lives on", async () => {
    const deployId = newId();
    const first = await engine.run(nodeContainer(newApp("same"), IDLE, { deployId }));
    const second = await engine.run(nodeContainer(newApp("same"), IDLE, { deployId }));
    const states = await engine.list({ deployId });
    expect(states.map(({ id, state }) => [id, state])).toEqual([
      [second.id, "running"],
      [first.id, "running"],
    ]);
  });

  describe("of a volume", () => {
    /** As an engine leaves it that is killed before it has noted the labels. */
    async function leaveVolume(Labels: Record<string, string> = {}) {
      const spec = nodeContainer(newApp(), IDLE, { volumes: { "/data": "data" } });
      const name = `svc-${spec.app.id}-data`;
      await docker.createVolume({ Name: name, Labels });
      const volume = docker.getVolume(name);
      return { spec, volume, directory: (await volume.inspect()).Mountpoint };
    }

    test("the empty directory alone is made a volume of the app", async () => {
      const { spec } = await leaveVolume();
      expect(await engine.run(spec)).toMatchObject({ state: "running" });
      expect(await engine.volumes(spec.app)).toEqual(["data"]);
    });

    test("the outer directory alone is made a volume of the app", async () => {
      const { spec, directory } = await leaveVolume();
      await rmdir(directory);
      expect(await engine.run(spec)).toMatchObject({ state: "running" });
    });

    test("what holds anything without our labels is named and left alone", async () => {
      const { spec, volume, directory } = await leaveVolume();
      await writeFile(join(directory, "note"), "somebody's");
      const refusal = { code: "name_taken", message: expect.stringContaining(volume.name) };
      await expect(engine.run(spec)).rejects.toMatchObject(refusal);
      expect(await readFile(join(directory, "note"), "utf8")).toBe("somebody's");
      await volume.remove();
    });

    test("an empty one with somebody's labels is named and left alone", async () => {
      const { spec, volume } = await leaveVolume({ note: "another server's" });
      await expect(engine.run(spec)).rejects.toMatchObject({ code: "name_taken" });
      await volume.remove();
    });
  });

  test("somebody else's container under that name is named and left alone", async () => {
    const spec = nodeContainer(newApp(`taken-${serverId.slice(-12)}`), IDLE, { deployId: newId() });
    const name = `svc-${spec.app.name}-${spec.deployId!.slice(-12)}`;
    const foreign = await docker.createContainer({ name, Image: "node:22-slim" });
    try {
      await expect(engine.run(spec)).rejects.toMatchObject({
        code: "name_taken",
        message: expect.stringContaining(name),
      });
      await foreign.inspect();
    } finally {
      await foreign.remove();
    }
  });
});

describe("confinement", () => {
  const SHOW_STATUS = "console.log(require('fs').readFileSync('/proc/self/status', 'utf8'))";

  test("an app whose image names a user has no capability, and cannot gain any", async () => {
    const image = `svc-test-user-${newId()}`;
    const made = await docker.createContainer({ Image: "node:22-slim" });
    await made.commit({ repo: image, changes: "USER node" });
    await made.remove();
    try {
      const { id } = await engine.run(nodeContainer(newApp(), SHOW_STATUS, { image: `${image}:latest` }));
      const status = (await logOf(id)).join("\n");
      expect(status).toMatch(/Uid:\s1000/);
      for (const set of ["CapPrm", "CapEff"]) expect(status).toMatch(new RegExp(`${set}:\\s0{16}`));
      expect(status).toMatch(/NoNewPrivs:\s1/);
    } finally {
      await docker.getImage(image).remove({ force: true });
    }
  });

  test("a program whose file has a capability, as the official Caddy's has, starts and does not gain it", async () => {
    const image = `svc-test-capable-${newId()}`;
    // Revision 2, effective; CAP_NET_BIND_SERVICE is bit 10.
    const capable = `import os, shutil, struct, sys
shutil.copy(os.path.realpath(sys.executable), "/usr/local/bin/capable")
os.setxattr("/usr/local/bin/capable", "security.capability", struct.pack("<IIIII", 0x02000001, 1 << 10, 0, 0, 0))`;
    const made = await docker.createContainer({ Image: "python:3.11-slim", Cmd: ["python", "-c", capable] });
    await made.start();
    expect(await made.wait()).toMatchObject({ StatusCode: 0 });
    await made.commit({ repo: image, changes: "USER 1000:1000" });
    await made.remove();
    try {
      const command = ["/usr/local/bin/capable", "-c", "print(open('/proc/self/status').read())"];
      const { id } = await engine.run(nodeContainer(newApp(), "", { image: `${image}:latest`, command }));
      const status = (await logOf(id)).join("\n");
      expect(status).toMatch(/CapBnd:\s0{13}400/);
      for (const set of ["CapPrm", "CapEff"]) expect(status).toMatch(new RegExp(`${set}:\\s0{16}`));
    } finally {
      await docker.getImage(image).remove({ force: true });
    }
  });

  test("an app that starts as root has what changing its user takes, no swap, and cannot gain privileges", async () => {
    const { id } = await engine.run(nodeContainer(newApp(), SHOW_STATUS));
    const status = (await logOf(id)).join("\n");
    // CHOWN, DAC_OVERRIDE, FOWNER, KILL, SETGID, SETUID, NET_BIND_SERVICE: bits 0, 1, 3, 5, 6, 7, 10.
    for (const set of ["CapBnd", "CapEff"]) expect(status).toMatch(new RegExp(`${set}:\\s0{13}4eb`));
    expect(status).toMatch(/NoNewPrivs:\s1/);
    const { HostConfig: host } = await docker.getContainer(id).inspect();
    expect(host.MemorySwap).toBe(host.Memory);
    expect(host.Privileged).toBe(false);
  });

  test("an app that was promised more CPUs than the host has runs on those that it has", async () => {
    const { state } = await engine.run(nodeContainer(newApp(), IDLE, { cpuMillis: 512_000 }));
    expect(state).toBe("running");
  });

  test("a start command that does not exist ends with 127 and says so", async () => {
    const spec = nodeContainer(newApp(), "", { image: "debian:bookworm-slim", command: ["/no/such/command"] });
    const { id } = await engine.run(spec);
    expect((await logOf(id)).join("\n")).toContain("/no/such/command");
    expect(await engine.list({ appId: spec.app.id })).toMatchObject([{ state: "exited", exitCode: 127 }]);
  });
});

describe("logs", () => {
  test("carry long lines in pieces, any character, both streams and nothing of the transport", async () => {
    const script = `console.log("x".repeat(40000)); console.error("err €"); console.log(""); console.log("a\\r")`;
    const { id } = await engine.run(nodeContainer(newApp(), script));
    const texts = await logOf(id);
    const long = texts.filter((text) => text.startsWith("x"));
    expect(long.map(({ length }) => length)).toEqual([16_384, 16_384, 40_000 - 2 * 16_384]);
    expect(texts.filter((text) => !text.startsWith("x")).toSorted()).toEqual(["", "a", "err €"]);
  });

  test("say which output wrote a piece, so that no secret is shown that a cut divides", async () => {
    const secret = "correct-horse-battery";
    const script = `const { setTimeout: wait } = require("node:timers/promises");
      const write = (stream, text) => new Promise((done) => stream.write(text, done));
      (async () => {
        await write(process.stdout, "x".repeat(16384 - 10) + ${JSON.stringify(secret)});
        await wait(300);
        await write(process.stderr, "meanwhile\\n");
        await wait(300);
        await write(process.stdout, " and the end\\n");
      })();`;
    const { id } = await engine.run(nodeContainer(newApp(), script));
    await logOf(id);
    for (const lines of [1, 2, 3]) {
      const redactor = new LineRedactor(new Redactor([secret]));
      const shown: string[] = [];
      for await (const batch of engine.logs(id, { lines: lines + LINES_BEFORE, follow: false })) {
        shown.push(...batch.map(({ text, output }) => redactor.line(text, output === "stderr" ? 2 : 1)));
      }
      const asked = shown.slice(-lines).join("");
      expect(asked).toContain("and the end");
      expect(asked).not.toContain(secret.slice(10));
    }
  });

  test("come in batches, at most as many lines as asked for", async () => {
    const { id } = await engine.run(nodeContainer(newApp(), "for (let i = 0; i < 5000; i++) console.log(i)"));
    await logOf(id);
    const sizes: number[] = [];
    for await (const batch of engine.logs(id, { lines: 3000, follow: false })) sizes.push(batch.length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(3000);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
  });
});

test("an engine that is down is named so, by every call", async () => {
  const down = createDockerEngine({
    docker: connectDocker("unix:///nonexistent/docker.sock"),
    serverId,
    addressBlock: TEST_BLOCK,
    names: new HostNames("secret"),
    build: () => Promise.reject(new Error("unused")),
    log: silentLogger,
  });
  const spec = nodeContainer(newApp(), IDLE);
  for (const call of [down.describe(), down.list({}), down.run(spec), down.stop("x", 1), down.images("x")]) {
    await expect(call).rejects.toMatchObject({
      code: "engine_unavailable",
      message: expect.stringContaining("Docker"),
    });
  }
});
