import { cloneBuild } from "@svc/agent/steps/clone-build.ts";
import type { CloneBuildOutput } from "@svc/shared/gen/svc/agent/v1/events_pb.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dockerfile, run, startBuilds, type Builds } from "../../support/engine/builds.ts";
import { newApp } from "../../support/engine/docker.ts";
import { eventually } from "../../support/tools/eventually.ts";
import type { Files } from "../../support/doubles/git-host.ts";

let builds: Builds;

beforeAll(async () => {
  builds = await startBuilds();
});
afterAll(() => builds?.cleanUp());

/** Starts the image as the platform does, without rights, and asks it. */
async function ask(output: CloneBuildOutput, paths: string[]): Promise<Record<string, string>> {
  const container = await builds.docker.createContainer({
    Image: output.imageDigest,
    Labels: { "svc.server": builds.serverId },
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

describe("a repository becomes an image that answers", () => {
  it("as a Node app with dependencies; its second build comes from the cache", async () => {
    const first = await builds.prepare(NODE_APP);
    const output = await run(first);
    expect(output).toMatchObject({ framework: "node", port: 3000, imageDigest: /^sha256:/ });
    expect(output.commitSha).toMatch(/^[0-9a-f]{40}$/);
    expect(await ask(output, ["/"])).toEqual({ "/": "200 172800000" });
    expect(first.lines.join("\n")).toMatch(/node: a start script in package\.json; port 3000[^]*#\d+ added 1 package/);
    const second = await builds.prepare({ ...NODE_APP, "index.js": `${SERVER}\n` }, {}, { app: first.app });
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
    const started = await builds.prepare(NODE_APP, {}, { engine: builds.engineWith({ resolveImage }) });
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
    const started = await builds.prepare(
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
      await builds.prepare({
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
    const started = await builds.prepare({
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
    const { Config } = await builds.docker.getImage(output.imageDigest).inspect();
    expect(Config.Labels).toMatchObject({
      "svc.server": builds.serverId,
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
      const engine = builds.engineWith();
      const started = await builds.prepare(files, {}, { engine });
      const { imageDigest } = await run(started);
      const image = builds.docker.getImage(imageDigest);
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

it("a Dockerfile's cache mounts are its owner's and no other owner's", async () => {
  const [app, other] = [newApp(), newApp()];
  const mount = (command: string): Files => dockerfile(`RUN --mount=type=cache,target=/c ${command}`);
  await run(await builds.prepare(mount(`touch /c/${app.id}`), {}, { app }));
  await run(await builds.prepare(mount(`test ! -e /c/${app.id}`), {}, { app: other }));
  await expect(run(await builds.prepare(mount(`test -e /c/${app.id}`), {}, { app }))).resolves.toBeDefined();
});

describe("undo", () => {
  it("removes the deploy's image and checkout, any number of times, and no other deploy's", async () => {
    const kept = await builds.prepare({ "index.html": "kept" });
    await run(kept);
    const undone = await builds.prepare({ "index.html": "undone" }, {}, { app: kept.app });
    await run(undone);
    await cloneBuild.undo(undone.ctx);
    await cloneBuild.undo(undone.ctx);
    const images = await kept.ctx.engine.images(kept.app.id);
    expect(images.map(({ deployId }) => deployId)).toEqual([kept.ctx.deployId]);
  });

  it("is nothing for a run that never began", async () => {
    const started = await builds.prepare({ "index.html": "" });
    await expect(cloneBuild.undo(started.ctx)).resolves.toBeUndefined();
  });
});
