import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createHost } from "@svc/agent/host/host.ts";
import type { Host } from "@svc/agent/ports.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  dockerfile,
  run,
  startBuilds,
  type BuildFields,
  type Builds,
  type PreparedBuild,
} from "../../support/engine/builds.ts";
import { eventually } from "../../support/tools/eventually.ts";
import type { Files } from "../../support/doubles/git-host.ts";

let builds: Builds;

beforeAll(async () => {
  builds = await startBuilds({ memoryBytes: 1024 ** 3, cpuMillis: 2000, pids: 512 });
});
afterAll(() => builds?.cleanUp());

function token(value: string): BuildFields["credentials"] {
  return { method: { case: "token", value } };
}

async function failure(started: PreparedBuild): Promise<SvcError> {
  const error = await run(started).then(
    () => new Error(`succeeded:\n${started.lines.join("\n")}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof SvcError)) throw error;
  expect(error.message).not.toContain(builds.dataDirectory);
  expect(await started.ctx.engine.images(started.app.id)).toEqual([]);
  const clones = await readdir(join(builds.dataDirectory, "clones")).catch(() => []);
  expect(clones.filter((name) => name === started.ctx.deployId)).toEqual([]);
  return error;
}

async function processesWith(word: string): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^[0-9]+$/.test(name));
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return commands.filter((command) => command.includes(word)).length;
}

describe("a build that cannot succeed ends with what its user can do", () => {
  it("naming the instruction, the exit code and the last lines", async () => {
    const error = await failure(await builds.prepare(dockerfile("RUN echo one; echo two >&2; exit 3")));
    expect(error.code).toBe("build_failed");
    expect(error.message).toMatch(/`RUN echo one.*exit code 3\..*\n(?:one\ntwo|two\none)$/);
  });

  it.each([
    ["an unknown instruction", ["NONSENSE x"], /unknown instruction: NONSENSE/],
    ["a file that is not there", ["COPY missing /"], /missing/],
  ])("naming %s", async (_what, lines, sentence) => {
    const error = await failure(await builds.prepare(dockerfile(...lines)));
    expect(error.code).toBe("build_failed");
    expect(error.message).toMatch(sentence);
  });

  it("naming the image that cannot be fetched", async () => {
    const error = await failure(await builds.prepare({ Dockerfile: "FROM registry.invalid/team/base:1\n" }));
    expect(error.code).toBe("base_image_unavailable");
    expect(error.message).toMatch(/registry\.invalid\/team\/base:1.*npm run base-images/);
  });

  it("naming the rule by which the framework's build was to make a folder", async () => {
    const scripts = { build: "mkdir lib && cp index.html lib" };
    const files = { "package.json": JSON.stringify({ name: "site", scripts }), "index.html": "<p>hello</p>" };
    const error = await failure(await builds.prepare(files, { framework: "vite" }));
    expect(error.code).toBe("build_failed");
    expect(error.message).toMatch(
      /made no dist\. .*this rule: Vite writes the folder that `outDir` .*or else `dist`\./,
    );
  });

  it("naming the packages of the Python image where pip reaches no index", async () => {
    const files = {
      "requirements.txt": "flask\nno-such-package\n",
      "app.py": "from flask import Flask\napp = Flask(__name__)\n",
    };
    const error = await failure(await builds.prepare(files));
    expect(error.code).toBe("build_failed");
    expect(error.message).toMatch(
      /has a fixed set of packages.* django, [^]*No matching distribution found for no-such-package/,
    );
  });

  it("naming the frontend that nobody may bring along", async () => {
    const files = { Dockerfile: "# syntax=registry.invalid/dockerfile:1\nFROM debian:bookworm-slim\n" };
    const error = await failure(await builds.prepare(files));
    expect(error.code).toBe("build_failed");
    expect(error.message).toMatch(/Line 1 .*"registry\.invalid\/dockerfile:1" is not permitted.*docker\/dockerfile:1/);
  });

  it("when it eats memory, naming the limit", async () => {
    // Not without end, should the limit not hold.
    const eat = `/* ${newId()} */ const all = []; for (let i = 0; i < 48; i++) all.push(Buffer.alloc(64 * 1024 * 1024, 1))`;
    const error = await failure(await builds.prepare({ Dockerfile: `FROM node:22-slim\nRUN node -e "${eat}"\n` }));
    expect(error.code).toBe("build_out_of_memory");
    expect(error.message).toMatch(/1024 MiB/);
  });

  it("when it starts processes without end, and leaves none", async () => {
    const error = await failure(
      await builds.prepare(
        dockerfile(`RUN : ${newId()}; i=0; while [ $i -lt 3000 ]; do i=$((i+1)); sleep 86411 & done`),
      ),
    );
    expect(error.code).toBe("build_failed");
    expect(error.message).toMatch(/fork/i);
    expect(await processesWith("86411")).toBe(0);
  });

  it("when it hangs, at its time limit", async () => {
    const error = await failure(await builds.prepare(dockerfile("RUN sleep 86412"), { timeLimitSeconds: 10 }));
    expect(error.code).toBe("build_timed_out");
    expect(error.message).toMatch(/10 seconds/);
    expect(await processesWith("86412")).toBe(0);
  });

  it.each([
    ["a nearly full disk", "disk_full", { availableBytes: 1024 ** 3 }, {}],
    ["a disk without inodes", "disk_full", { inodesAvailable: 10 }, {}],
    ["a host without memory", "build_out_of_memory", {}, { availableBytes: 10 * 1024 ** 2 }],
  ])("before it starts, on %s", async (_what, code, disk, memory) => {
    const full = createHost();
    const engine = builds.engineWith({
      host: {
        ...full,
        disk: async (path) => ({ ...(await full.disk(path)), ...disk }),
        memory: async () => ({ ...(await full.memory()), ...memory }),
      },
    });
    const error = await failure(await builds.prepare(dockerfile("RUN true"), {}, { engine }));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/no room for the build|not started/);
  });

  it.each([
    ["a Dockerfile that is a link out of the repository", { Dockerfile: { symlink: "/etc/passwd" } }],
    ["a package.json that is a link out of the repository", { "package.json": { symlink: "../../../../etc/passwd" } }],
    ["nothing that can be recognised", { "README.md": "x" }],
  ])("with %s", async (_what, files) => {
    expect((await failure(await builds.prepare(files as Files))).code).toBe("framework_unknown");
  });

  it.each([
    { timeLimitSeconds: 5 },
    { port: 70_000 },
    { buildEnv: { SECRET: "x" } },
    { outbound: { allowCidrs: ["10/8"] } },
    { outbound: { caPem: "nonsense" } },
    { outbound: { dnsServers: ["dns.example.com"] } },
    { ref: "--upload-pack=x" },
    { repoUrl: "file:///etc" },
    { platformHosted: true },
    { platformHosted: true, repoUrl: "http://192.0.2.1/git/a/b.git", credentials: token("t") },
  ])("with the field %j", async (fields) => {
    expect((await failure(await builds.prepare({ "index.html": "" }, fields))).code).toBe("invalid_request");
  });
});

it("a build that fills the disk is ended with a sentence, and leaves no process", async () => {
  const real = createHost();
  let looks = 0;
  const disk: Host["disk"] = async (path) => {
    const facts = await real.disk(path);
    looks += 1;
    return looks === 3 ? { ...facts, availableBytes: 1024 ** 2 } : facts;
  };
  const engine = builds.engineWith({ host: { ...real, disk } });
  const error = await failure(await builds.prepare(dockerfile("RUN sleep 8643"), {}, { engine }));
  expect(error.code).toBe("disk_full");
  expect(await processesWith("8643")).toBe(0);
});

it("a build that takes memory which control groups don't count is ended before the host has none left", async () => {
  const real = createHost();
  const { availableBytes: before } = await real.memory();
  // As if the host had 600 MiB; the rings take up to 1.5 GiB, and go with the instruction.
  const memory: Host["memory"] = async () => {
    const { availableBytes } = await real.memory();
    return { totalBytes: 2 * 1024 ** 3, availableBytes: availableBytes - before + 600 * 1024 ** 2 };
  };
  const engine = builds.engineWith({ host: { ...real, memory } });
  const rings = `import socket, struct, time
held = []
for _ in range(24):
    ring = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    ring.setsockopt(263, 5, struct.pack("IIII", 1 << 20, 64, 1 << 16, 64 * 16)) # SOL_PACKET, PACKET_RX_RING
    held.append(ring)
    time.sleep(0.1)
time.sleep(8645)
`;
  const files = { Dockerfile: "FROM python:3.11-slim\nCOPY rings.py /\nRUN python3 /rings.py\n", "rings.py": rings };
  const error = await failure(await builds.prepare(files, { timeLimitSeconds: 60 }, { engine }));
  expect(error.code).toBe("build_out_of_memory");
  expect(error.message).toMatch(/only \d+ MiB of the server's memory were left/);
  expect(await processesWith("/rings.py")).toBe(0);
});

describe("a canceled build", () => {
  const hangs = (seconds: number): Files => ({
    Dockerfile: `FROM debian:bookworm-slim\nRUN echo begun; sleep ${seconds}\n`,
  });

  it("leaves no process, no image and no checkout, and its turn to the next", async () => {
    const engine = builds.engineWith();
    const controller = new AbortController();
    const first = await builds.prepare(hangs(86_413), {}, { engine, signal: controller.signal });
    const second = await builds.prepare({ "index.html": "next" }, {}, { engine });
    const firstEnd = failure(first);
    await eventually(() => first.lines.some((line) => line.endsWith(" begun")), Boolean, {
      what: "the first build's output",
    });
    const secondEnd = run(second);
    await eventually(() => second.lines.some((line) => line.includes("another build")), Boolean, { what: "waiting" });
    controller.abort(new SvcError("canceled", "The deploy was canceled."));
    expect((await firstEnd).code).toBe("canceled");
    expect(await processesWith("86413")).toBe(0);
    await secondEnd;
  });

  it("ends at once while it waits for its turn", async () => {
    const engine = builds.engineWith();
    const [blocking, waiting] = [new AbortController(), new AbortController()];
    const first = await builds.prepare(hangs(86_414), {}, { engine, signal: blocking.signal });
    const firstEnd = run(first).catch((error: unknown) => error);
    await eventually(() => first.lines.some((line) => line.endsWith(" begun")), Boolean, {
      what: "the first build's output",
    });
    const second = await builds.prepare({ "index.html": "" }, {}, { engine, signal: waiting.signal });
    const secondEnd = run(second).catch((error: unknown) => error);
    await eventually(() => second.lines.some((line) => line.includes("another build")), Boolean, { what: "waiting" });
    waiting.abort(new SvcError("canceled", "The deploy was canceled."));
    expect(await secondEnd).toMatchObject({ code: "canceled" });
    blocking.abort(new SvcError("canceled", "The deploy was canceled."));
    expect(await firstEnd).toMatchObject({ code: "canceled" });
  });
});
