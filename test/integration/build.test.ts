import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { createImageBuilder, type ImageBuilderOptions } from "@svc/agent/docker/build.ts";
import { buildCgroup } from "@svc/agent/docker/build-cgroup.ts";
import { createDockerEngine } from "@svc/agent/docker/engine.ts";
import { parseCidr } from "@svc/agent/domain/address-block.ts";
import { createGit } from "@svc/agent/git/git.ts";
import { createHost } from "@svc/agent/host.ts";
import type { AppRef, Engine, Host } from "@svc/agent/ports.ts";
import { cloneBuild } from "@svc/agent/steps/clone-build.ts";
import type { StepContext } from "@svc/agent/steps/step.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { CloneBuildSpecSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { CloneBuildOutput } from "@svc/shared/gen/svc/agent/v1/events_pb.ts";
import { newId } from "@svc/shared/ids.ts";
import { silentLogger } from "@svc/shared/logger.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestEngine, newApp, type TestEngine } from "../support/docker.ts";
import { startGitHost, type Files, type GitHost } from "../support/git-host.ts";
import { eventually } from "../support/eventually.ts";
import { createTestStep } from "../support/step-context.ts";

const CAPS = { memoryBytes: 1024 ** 3, cpuMillis: 2000, pids: 512 };

let host: GitHost;
let test: TestEngine;
let dataDirectory: string;

beforeAll(async () => {
  host = await startGitHost();
  test = createTestEngine();
  dataDirectory = await mkdtemp(join(tmpdir(), "svc-build-test-"));
});

afterAll(async () => {
  await test.cleanUp();
  await host.close();
  await rm(dataDirectory, { recursive: true, force: true });
  // The group is the engine's, and other builds on this machine run in it too.
  await buildCgroup("cgroupfs").apply({ memoryBytes: totalmem(), cpuMillis: cpus().length * 1000, pids: 32_768 });
});

function engineWith(options: Partial<ImageBuilderOptions> = {}): Engine {
  const { docker, serverId } = test;
  const build = createImageBuilder({ docker, serverId, host: createHost(), caps: CAPS, log: silentLogger, ...options });
  return createDockerEngine({ docker, serverId, addressBlock: parseCidr("10.222.0.0/16")!, build, log: silentLogger });
}

interface Run {
  ctx: StepContext;
  app: AppRef;
  lines: string[];
  spec: Parameters<typeof cloneBuild.run>[1];
}

type Fields = Omit<MessageInitShape<typeof CloneBuildSpecSchema>, "outbound" | "$typeName"> & {
  outbound?: { allowCidrs?: string[]; caPem?: string };
};

function token(value: string): Fields["credentials"] {
  return { method: { case: "token", value } };
}

let repositories = 0;
async function prepare(
  files: Files,
  fields: Fields = {},
  options: { engine?: Engine; app?: AppRef; signal?: AbortSignal } = {},
): Promise<Run> {
  const repository = await host.repository(`app-${(repositories += 1)}`, files);
  const app = options.app ?? newApp();
  const { ctx, lines } = createTestStep({
    app,
    deployId: newId(),
    engine: options.engine ?? engineWith(),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  const outbound = { allowCidrs: ["127.0.0.0/8"], caPem: host.caPem, ...fields.outbound };
  const spec = create(CloneBuildSpecSchema, { repoUrl: repository.url, timeLimitSeconds: 60, ...fields, outbound });
  const git = createGit({ dataDirectory, log: silentLogger });
  return { ctx: { ...ctx, git, dataDirectory }, app, lines, spec };
}

async function run({ ctx, spec }: Run): Promise<CloneBuildOutput> {
  const result = await cloneBuild.run(ctx, spec);
  if (result.case !== "cloneBuild") throw new Error(`got ${result.case}`);
  return result.value as CloneBuildOutput;
}

async function failure(started: Run): Promise<SvcError> {
  const error = await run(started).then(
    () => new Error(`succeeded:\n${started.lines.join("\n")}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof SvcError)) throw error;
  expect(error.message).not.toContain(dataDirectory);
  expect(await started.ctx.engine.images(started.app.id)).toEqual([]);
  const clones = await readdir(join(dataDirectory, "clones")).catch(() => []);
  expect(clones.filter((name) => name === started.ctx.deployId)).toEqual([]);
  return error;
}

/** Starts the image as the platform does, without rights, and asks it. */
async function ask(output: CloneBuildOutput, paths: string[]): Promise<Record<string, string>> {
  const container = await test.docker.createContainer({
    Image: output.imageDigest,
    Labels: { "svc.server": test.serverId },
    HostConfig: { Init: true, CapDrop: ["ALL"], SecurityOpt: ["no-new-privileges"] },
  });
  try {
    await container.start();
    const { NetworkSettings: network } = await container.inspect();
    const address = Object.values(network.Networks)[0]?.IPAddress;
    const get = async (path: string): Promise<string> => {
      const response = await fetch(`http://${address}:${output.port}${path}`);
      return `${response.status} ${(await response.text()).trim()}`;
    };
    await eventually(
      () => get(paths[0]!).catch(() => ""),
      (answer) => answer !== "",
      { what: "an answer" },
    );
    return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await get(path)] as const)));
  } finally {
    await container.remove({ force: true });
  }
}

async function processesWith(word: string): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^[0-9]+$/.test(name));
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return commands.filter((command) => command.includes(word)).length;
}

const SERVER = "require('http').createServer((q, r) => r.end(require('ms')('2 days') + '')).listen(process.env.PORT)";
const NODE_APP: Files = {
  "package.json": JSON.stringify({ name: "a", scripts: { start: "node index.js" }, dependencies: { ms: "2.1.3" } }),
  "package-lock.json": JSON.stringify({
    name: "a",
    lockfileVersion: 3,
    packages: { "": { name: "a", dependencies: { ms: "2.1.3" } }, "node_modules/ms": { version: "2.1.3" } },
  }),
  "index.js": SERVER,
};

const dockerfile = (...lines: string[]): Files => ({
  Dockerfile: ["FROM debian:bookworm-slim", ...lines, ""].join("\n"),
});

describe("a repository becomes an image that answers", () => {
  it("as a Node app with dependencies; its second build comes from the cache", async () => {
    const first = await prepare(NODE_APP);
    const output = await run(first);
    expect(output).toMatchObject({ framework: "node", port: 3000, imageDigest: /^sha256:/ });
    expect(output.commitSha).toMatch(/^[0-9a-f]{40}$/);
    expect(await ask(output, ["/"])).toEqual({ "/": "200 172800000" });
    expect(first.lines.join("\n")).toMatch(/node: a start script in package\.json; port 3000[^]*#\d+ added 1 package/);
    const second = await prepare({ ...NODE_APP, "index.js": `${SERVER}\n` }, {}, { app: first.app });
    await run(second);
    expect(second.lines.join("\n")).toMatch(/RUN .*npm ci.*\n(?:.*\n)*?#\d+ CACHED/);
    expect(await first.ctx.engine.images(first.app.id)).toHaveLength(2);
  });

  it("from a mirror's base images, with its own stages by their own names", async () => {
    const asked = new Set<string>();
    const resolveImage = (name: string): string => {
      asked.add(name);
      return name;
    };
    const started = await prepare(NODE_APP, {}, { engine: engineWith({ resolveImage }) });
    expect(await run(started)).toMatchObject({ framework: "node" });
    expect([...asked]).toEqual(["node:22-slim"]);
  });

  it("as an Express app with a build, a local package and development dependencies left behind", async () => {
    const pkg = {
      scripts: { build: "node build.js", start: "node dist.js" },
      dependencies: { express: "file:./vendor/express" },
      devDependencies: { ms: "2.1.3" },
    };
    const build =
      "fs.writeFileSync('dist.js', fs.readFileSync('app.js') + '//~~' + require('ms')(1000) + process.env.VITE_A)";
    const app =
      "require('http').createServer((q, r) => r.end(require('express') + fs.existsSync('node_modules/ms') + " +
      "fs.readFileSync('dist.js', 'utf8').split('~~').at(-1))).listen(process.env.PORT)";
    const started = await prepare(
      {
        "package.json": JSON.stringify(pkg),
        "vendor/express/package.json": '{"name":"express","version":"1.0.0"}',
        "vendor/express/index.js": "module.exports = 'local '",
        "build.js": `const fs = require('fs'); ${build}`,
        "app.js": `const fs = require('fs'); ${app}`,
      },
      { port: 4000, buildEnv: { VITE_A: `$x 'y" z` } },
    );
    const output = await run(started);
    expect(output).toMatchObject({ framework: "express", port: 4000 });
    expect(await ask(output, ["/"])).toEqual({ "/": `200 local false1s$x 'y" z` });
  });

  it("as a static site that keeps hidden files hidden", async () => {
    const output = await run(
      await prepare({
        "index.html": "home",
        "about.html": "about",
        "docs/index.html": "docs",
        "404.html": "lost",
        ".env": "secret",
        ".well-known/x": "known",
        "svc.yaml": "# spec: svc/v1\nname: shop\nenv: [TOKEN]\n",
      }),
    );
    const paths = ["/", "/about", "/docs/", "/.env", "/.well-known/x", "/nope", "/.svc.Dockerfile", "/svc.yaml"];
    expect(await ask(output, paths)).toEqual({
      "/": "200 home",
      "/about": "200 about",
      "/docs/": "200 docs",
      "/.env": "404 lost",
      "/.well-known/x": "200 known",
      "/nope": "404 lost",
      "/.svc.Dockerfile": "404 lost",
      "/svc.yaml": "404 lost",
    });
  });

  it("by its own Dockerfile, whose .dockerignore counts and whose links stay links", async () => {
    const started = await prepare({
      Dockerfile: `FROM debian:bookworm-slim\nWORKDIR /a\nCOPY . .\nRUN : ${newId()}; ls -A; readlink link; false || echo é\nEXPOSE 8080\n`,
      ".dockerignore": "secret\nDockerfile\n.dockerignore\n",
      secret: "x",
      kept: "x",
      link: { symlink: "/etc/hostname" },
    });
    const output = await run(started);
    expect(output).toMatchObject({ framework: "dockerfile", port: 8080 });
    const listing = started.lines.filter((line) => /^#\d+ (?:kept|link|secret|\.git|\/etc\/hostname|é)$/.test(line));
    expect(listing.map((line) => line.replace(/^#\d+ /, ""))).toEqual(["kept", "link", "/etc/hostname", "é"]);
    const { Config } = await test.docker.getImage(output.imageDigest).inspect();
    expect(Config.Labels).toMatchObject({
      "svc.server": test.serverId,
      "svc.app": started.app.id,
      "svc.deploy": started.ctx.deployId,
    });
  });

  it("without the address of the host's npm registry in a layer, its history or the output", async () => {
    const canary = "https://registry-canary.invalid/";
    const before = process.env["npm_config_registry"];
    process.env["npm_config_registry"] = canary;
    try {
      const files = { "package.json": '{"scripts":{"start":"node index.js"}}', "index.js": SERVER };
      const engine = engineWith();
      const started = await prepare(files, {}, { engine });
      const { imageDigest } = await run(started);
      const image = test.docker.getImage(imageDigest);
      const bytes = await Array.fromAsync(await image.get());
      const everything = [
        JSON.stringify(await image.history()),
        ...started.lines,
        Buffer.concat(bytes as Buffer[]).toString("latin1"),
      ];
      expect(everything.filter((text) => text.includes("registry-canary"))).toEqual([]);
    } finally {
      if (before === undefined) delete process.env["npm_config_registry"];
      else process.env["npm_config_registry"] = before;
    }
  });
});

describe("a build that cannot succeed ends with what its user can do", () => {
  it("naming the instruction, the exit code and the last lines", async () => {
    const error = await failure(await prepare(dockerfile("RUN echo one; echo two >&2; exit 3")));
    expect(error.code).toBe("build_failed");
    expect(error.message).toMatch(/`RUN echo one.*exit code 3\..*\n(?:one\ntwo|two\none)$/);
  });

  it.each([
    ["an unknown instruction", ["NONSENSE x"], /unknown instruction: NONSENSE/],
    ["a file that is not there", ["COPY missing /"], /missing/],
  ])("naming %s", async (_what, lines, sentence) => {
    const error = await failure(await prepare(dockerfile(...lines)));
    expect(error.code).toBe("build_failed");
    expect(error.message).toMatch(sentence);
  });

  it("naming the image that cannot be fetched", async () => {
    const error = await failure(await prepare({ Dockerfile: "FROM registry.invalid/team/base:1\n" }));
    expect(error.code).toBe("base_image_unavailable");
    expect(error.message).toMatch(/registry\.invalid\/team\/base:1.*npm run base-images/);
  });

  it("naming the frontend that cannot be fetched", async () => {
    const files = { Dockerfile: "# syntax=registry.invalid/dockerfile:1\nFROM debian:bookworm-slim\n" };
    const error = await failure(await prepare(files));
    expect(error.code).toBe("base_image_unavailable");
    expect(error.message).toContain("registry.invalid/dockerfile:1");
  });

  it("when it eats memory, naming the limit", async () => {
    // Not without end, should the limit not hold.
    const eat = `/* ${newId()} */ const all = []; for (let i = 0; i < 48; i++) all.push(Buffer.alloc(64 * 1024 * 1024, 1))`;
    const error = await failure(await prepare({ Dockerfile: `FROM node:22-slim\nRUN node -e "${eat}"\n` }));
    expect(error.code).toBe("build_out_of_memory");
    expect(error.message).toMatch(/1024 MiB/);
  });

  it("when it starts processes without end, and leaves none", async () => {
    const error = await failure(
      await prepare(dockerfile(`RUN : ${newId()}; i=0; while [ $i -lt 3000 ]; do i=$((i+1)); sleep 86411 & done`)),
    );
    expect(error.code).toBe("build_failed");
    expect(error.message).toMatch(/fork/i);
    expect(await processesWith("86411")).toBe(0);
  });

  it("when it hangs, at its time limit", async () => {
    const error = await failure(await prepare(dockerfile("RUN sleep 86412"), { timeLimitSeconds: 10 }));
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
    const engine = engineWith({
      host: {
        ...full,
        disk: async (path) => ({ ...(await full.disk(path)), ...disk }),
        memory: async () => ({ ...(await full.memory()), ...memory }),
      },
    });
    const error = await failure(await prepare(dockerfile("RUN true"), {}, { engine }));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/no room for the build|not started/);
  });

  it.each([
    ["a Dockerfile that is a link out of the repository", { Dockerfile: { symlink: "/etc/passwd" } }],
    ["a package.json that is a link out of the repository", { "package.json": { symlink: "../../../../etc/passwd" } }],
    ["nothing that can be recognised", { "README.md": "x" }],
  ])("with %s", async (_what, files) => {
    expect((await failure(await prepare(files as Files))).code).toBe("framework_unknown");
  });

  it.each([
    { timeLimitSeconds: 5 },
    { port: 70_000 },
    { buildEnv: { SECRET: "x" } },
    { outbound: { allowCidrs: ["10/8"] } },
    { outbound: { caPem: "nonsense" } },
    { ref: "--upload-pack=x" },
    { repoUrl: "file:///etc" },
    { platformHosted: true },
    { platformHosted: true, repoUrl: "http://192.0.2.1/git/a/b.git", credentials: token("t") },
  ])("with the field %j", async (fields) => {
    expect((await failure(await prepare({ "index.html": "" }, fields))).code).toBe("invalid_request");
  });
});

it("an app's own Dockerfile shares its cache mounts with no other app", async () => {
  const [app, other] = [newApp(), newApp()];
  const mount = (command: string): Files => dockerfile(`RUN --mount=type=cache,target=/c ${command}`);
  await run(await prepare(mount(`touch /c/${app.id}`), {}, { app }));
  await run(await prepare(mount(`test ! -e /c/${app.id}`), {}, { app: other }));
  await expect(run(await prepare(mount(`test -e /c/${app.id}`), {}, { app }))).resolves.toBeDefined();
});

it("a build that fills the disk is ended with a sentence, and leaves no process", async () => {
  const real = createHost();
  let looks = 0;
  const disk: Host["disk"] = async (path) => {
    const facts = await real.disk(path);
    looks += 1;
    return looks > 2 ? { ...facts, availableBytes: 1024 ** 2 } : facts;
  };
  const engine = engineWith({ host: { ...real, disk } });
  const error = await failure(await prepare(dockerfile("RUN sleep 8643"), {}, { engine }));
  expect(error.code).toBe("disk_full");
  expect(await processesWith("8643")).toBe(0);
});

describe("a canceled build", () => {
  const hangs = (seconds: number): Files => ({
    Dockerfile: `FROM debian:bookworm-slim\nRUN echo begun; sleep ${seconds}\n`,
  });

  it("leaves no process, no image and no checkout, and its turn to the next", async () => {
    const engine = engineWith();
    const controller = new AbortController();
    const first = await prepare(hangs(86_413), {}, { engine, signal: controller.signal });
    const second = await prepare({ "index.html": "next" }, {}, { engine });
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
    const engine = engineWith();
    const [blocking, waiting] = [new AbortController(), new AbortController()];
    const first = await prepare(hangs(86_414), {}, { engine, signal: blocking.signal });
    const firstEnd = run(first).catch((error: unknown) => error);
    await eventually(() => first.lines.some((line) => line.endsWith(" begun")), Boolean, {
      what: "the first build's output",
    });
    const second = await prepare({ "index.html": "" }, {}, { engine, signal: waiting.signal });
    const secondEnd = run(second).catch((error: unknown) => error);
    await eventually(() => second.lines.some((line) => line.includes("another build")), Boolean, { what: "waiting" });
    waiting.abort(new SvcError("canceled", "The deploy was canceled."));
    expect(await secondEnd).toMatchObject({ code: "canceled" });
    blocking.abort(new SvcError("canceled", "The deploy was canceled."));
    expect(await firstEnd).toMatchObject({ code: "canceled" });
  });
});

describe("undo", () => {
  it("removes the deploy's image and checkout, any number of times, and no other deploy's", async () => {
    const kept = await prepare({ "index.html": "kept" });
    await run(kept);
    const undone = await prepare({ "index.html": "undone" }, {}, { app: kept.app });
    await run(undone);
    await cloneBuild.undo(undone.ctx);
    await cloneBuild.undo(undone.ctx);
    const images = await kept.ctx.engine.images(kept.app.id);
    expect(images.map(({ deployId }) => deployId)).toEqual([kept.ctx.deployId]);
  });

  it("is nothing for a run that never began", async () => {
    const started = await prepare({ "index.html": "" });
    await expect(cloneBuild.undo(started.ctx)).resolves.toBeUndefined();
  });
});
