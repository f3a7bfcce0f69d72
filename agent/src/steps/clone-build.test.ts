import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { CloneBuildSpecSchema, ProvisionDbSpecSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { afterEach, describe, expect, it } from "vitest";
import { createDummyEngine } from "../dummy/engine.ts";
import { createDummyGit } from "../dummy/git.ts";
import { createDummyHost } from "../dummy/host.ts";
import { createDummyProxy } from "../dummy/proxy.ts";
import type { BuildRequest, CheckoutRequest } from "../ports.ts";
import { databaseContainer } from "../database/container.ts";
import { cloneBuild } from "./clone-build.ts";
import { provisionDb } from "./provision-db.ts";
import type { StepContext } from "../runner/step.ts";

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

const DOCKERFILE = "FROM scratch\nEXPOSE 80\n";

function yaml(...lines: string[]): Record<string, string> {
  return { "svc.yaml": ["# spec: svc/v1", "name: shop", ...lines, ""].join("\n") };
}

/** A deploy of the files, as far as its first two steps. */
function deployOf(files: Record<string, string>) {
  const dataDirectory = mkdtempSync(join(tmpdir(), "svc-steps-"));
  directories.push(dataDirectory);
  const git = createDummyGit();
  const host = createDummyHost();
  git.knobs.files = files;
  const fetches: CheckoutRequest[] = [];
  const lines: string[] = [];
  const commits: string[] = [];
  const cancel = new AbortController();
  const ctx: StepContext = {
    app: { id: newId(), name: "shop", ownerId: newId() },
    deployId: newId(),
    output: { log: (line) => lines.push(line), progress: () => undefined, checkedOut: (sha) => commits.push(sha) },
    signal: cancel.signal,
    handover: {},
    git: {
      checkout: (request) => {
        fetches.push(request);
        return git.checkout(request);
      },
    },
    engine: createDummyEngine(),
    proxy: createDummyProxy(),
    host,
    dataDirectory,
  };
  const source = { repoUrl: "https://git.test/shop.git", ref: "main", timeLimitSeconds: 60 };
  return {
    ctx,
    git,
    host,
    fetches,
    lines,
    commits,
    cancel,
    build: (fields: MessageInitShape<typeof CloneBuildSpecSchema> = {}) =>
      cloneBuild.run(ctx, create(CloneBuildSpecSchema, { ...source, ...fields })),
    look: (wanted = false) =>
      provisionDb.run(
        ctx,
        create(ProvisionDbSpecSchema, {
          version: "16",
          databaseName: "shop",
          role: "shop",
          password: "0123456789abcdef",
          source: create(CloneBuildSpecSchema, source),
          wanted,
        }),
      ),
    clones: () => readdirSync(join(dataDirectory, "clones"), { recursive: true }),
  };
}

const NOT_NEEDED = { case: "provisionDb", value: { notNeeded: true } };

describe("clone_build with a spec file", () => {
  it("returns caps and the command of an own Dockerfile", async () => {
    const deploy = deployOf({
      Dockerfile: DOCKERFILE,
      ...yaml("start: A=1 ./shop", "port: 8080", "resources: {memory: 64m, cpus: '0.25'}"),
    });
    const { value } = await deploy.build();
    expect(value).toMatchObject({
      framework: "dockerfile",
      port: 8080,
      memoryBytes: BigInt(64 * 1024 ** 2),
      cpuMillis: 250,
      command: ["/bin/sh", "-c", "A=1 exec ./shop"],
    });
    expect(deploy.lines).toContain(
      "Note: `start` takes the place of the Dockerfile's CMD; an ENTRYPOINT of it stays in front.",
    );
  });

  it("tells the commit before it builds, also of a repository that can't be built", async () => {
    const deploy = deployOf({ "nothing.txt": "known" });
    await expect(deploy.build()).rejects.toMatchObject({ code: "framework_unknown" });
    expect(deploy.commits).toEqual([expect.stringMatching(/^[0-9a-f]{40}$/)]);
  });

  it("returns none of these without one", async () => {
    const { value } = await deployOf({ Dockerfile: DOCKERFILE }).build();
    expect(value).toMatchObject({ port: 80, memoryBytes: 0n, cpuMillis: 0, command: [] });
  });

  it("says where the framework was set that the repository does not fit", async () => {
    const set = /The app's settings name the framework go: change that there/;
    const deploy = deployOf({ "package.json": "{}" });
    await expect(deploy.build({ framework: "go" })).rejects.toThrow(set);
    await expect(deploy.build()).rejects.not.toThrow(set);
  });

  it("takes the file's framework, unless the app was given one", async () => {
    const deploy = deployOf({ Dockerfile: DOCKERFILE, "index.html": "x", ...yaml("framework: static") });
    expect((await deploy.build()).value).toMatchObject({ framework: "static" });
    expect(deploy.lines).toContain("static: named in svc.yaml; port 3000");
    expect((await deploy.build({ framework: "dockerfile", port: 81 })).value).toMatchObject({
      framework: "dockerfile",
      port: 81,
    });
    expect(deploy.lines.join("\n")).toContain("The app's own setting of framework, dockerfile, is used");
  });

  it("says when a shell stays between the signal to stop and the app", async () => {
    const deploy = deployOf({ Dockerfile: DOCKERFILE, ...yaml("start: ./shop | ./log") });
    await deploy.build();
    expect(deploy.lines.join("\n")).toContain("Note: The start command is more than one command");
  });

  it.each([
    ["a mistake in it", { ...yaml("port: 0") }, {}, "svc.yaml:3:7: port: is 0"],
    ["two of them", { ...yaml(), "svc.yml": "x" }, {}, "The repository has svc.yaml and svc.yml"],
    [
      "more memory than the tier's",
      yaml("resources: {memory: 2g}"),
      { memoryBytesMax: 2n ** 30n },
      "2048m, and the owner's tier allows 1024m",
    ],
    [
      "more CPU than the tier's",
      yaml("resources: {cpus: '1.5'}"),
      { cpuMillisMax: 1000 },
      "1.5, and the owner's tier allows 1.",
    ],
    [
      "a database that was not made",
      yaml("services: {db: {engine: pg}}"),
      {},
      "The app needs a database for the service db, and none was made",
    ],
    [
      "one of several that was not made",
      yaml("services: {db: {engine: pg}, stats: {engine: pg}}"),
      { databaseVersion: "16", services: ["db"] },
      "The app needs a database for the service stats, and none was made",
    ],
    ["one that the app itself wants", yaml(), { databaseWanted: true }, "The app needs a database, and none was made"],
  ])("refuses %s before anything is built", async (_what, files, fields, sentence) => {
    const deploy = deployOf({ Dockerfile: DOCKERFILE, ...files });
    await expect(deploy.build(fields)).rejects.toThrow(sentence);
    await expect(deploy.build(fields)).rejects.toBeInstanceOf(SvcError);
    expect(await deploy.ctx.engine.images(deploy.ctx.app.id)).toEqual([]);
    expect(deploy.clones()).toEqual([]);
  });
});

describe("provision_db of an app without a database", () => {
  it("fetches the commit that clone_build then builds, once, and makes none when no service is asked for", async () => {
    const deploy = deployOf({ Dockerfile: DOCKERFILE, ...yaml() });
    expect(await deploy.look()).toEqual(NOT_NEEDED);
    expect(deploy.lines).toEqual([]);
    deploy.git.knobs.files = { "index.html": "the branch has moved on" };
    expect((await deploy.build()).value).toMatchObject({ framework: "dockerfile" });
    expect(deploy.lines.slice(0, 2)).toEqual([
      "Fetching main of https://git.test/shop.git",
      expect.stringMatching(/^Checked out [0-9a-f]{40}$/),
    ]);
    expect(deploy.fetches).toHaveLength(1);
    expect(deploy.clones()).toEqual([]);
  });

  it.each([false, true])("leaves it to clone_build to say what is wrong (wanted: %s)", async (wanted) => {
    const broken = deployOf({ Dockerfile: DOCKERFILE, ...yaml("port: 0") });
    expect(await broken.look(wanted)).toEqual(NOT_NEEDED);
    await expect(broken.build({ databaseWanted: wanted })).rejects.toThrow("svc.yaml:3:7");

    const away = deployOf({});
    away.git.knobs.failure = "repository_not_found";
    expect(await away.look(wanted)).toEqual(NOT_NEEDED);
    await expect(away.build({ databaseWanted: wanted })).rejects.toMatchObject({ code: "repository_not_found" });
  });

  it("finishes one that a canceled run of the step has made, also when no commit asks for it any more", async () => {
    const deploy = deployOf({ Dockerfile: DOCKERFILE, ...yaml() });
    await deploy.ctx.engine.ensureNetwork(deploy.ctx.app);
    await deploy.ctx.engine.run(databaseContainer(deploy.ctx.app, "15"), deploy.cancel.signal);
    const seen: string[] = [];
    deploy.ctx.output.progress = (text) => {
      seen.push(text);
      // The dummy engine has no server that could become ready.
      if (text === "waiting for the database") deploy.cancel.abort(new SvcError("canceled", "That is enough."));
    };
    await expect(deploy.look()).rejects.toThrow("That is enough.");
    expect(seen).toContain("starting PostgreSQL 15");
  });

  it("ends when it is canceled, and undo leaves nothing of it", async () => {
    const deploy = deployOf({});
    deploy.git.knobs.hangs = true;
    const looked = deploy.look();
    deploy.cancel.abort(new SvcError("canceled", "The deploy was canceled."));
    await expect(looked).rejects.toMatchObject({ code: "canceled" });

    const other = deployOf({ Dockerfile: DOCKERFILE });
    await other.look();
    expect(other.clones()).not.toEqual([]);
    await provisionDb.undo(other.ctx);
    await provisionDb.undo(other.ctx);
    expect(other.clones()).toEqual([]);
  });
});

describe("a root", () => {
  const apps = { "apps/web/Dockerfile": DOCKERFILE, "apps/api/index.html": "x" };

  /** Returns the folder that is built, and its framework. */
  async function built(files: Record<string, string>, root?: string) {
    const deploy = deployOf(files);
    const requests: BuildRequest[] = [];
    const build = deploy.ctx.engine.build.bind(deploy.ctx.engine);
    deploy.ctx.engine.build = (request) => (requests.push(request), build(request));
    const { value } = (await deploy.build(root === undefined ? {} : { root })) as {
      value: { framework: string; port: number };
    };
    const [, folder] = /\/source(.*)$/.exec(requests[0]!.directory)!;
    return { folder, framework: value.framework, port: value.port, lines: deploy.lines };
  }

  it("is the folder that is built, with its own Dockerfile", async () => {
    expect(await built(apps, "apps/web")).toMatchObject({ folder: "/apps/web", framework: "dockerfile", port: 80 });
    expect(await built(apps, "apps/api")).toMatchObject({ folder: "/apps/api", framework: "static" });
  });

  it("is taken from the spec file at the top, unless one was set for the app", async () => {
    const top = { "svc.yaml": "# spec: svc/v2\nname: shop\nroot: apps/web\nport: 81\n" };
    expect(await built({ ...apps, ...top })).toMatchObject({ folder: "/apps/web", port: 81 });
    const other = await built({ ...apps, ...top }, "apps/api");
    expect(other).toMatchObject({ folder: "/apps/api", port: 81 });
    const note = "Note: The app's own setting of root, apps/api, is used in place of the apps/web of svc.yaml.";
    expect(other.lines).toContain(note);
  });

  it("has a spec file of its own, whose mistakes are shown with its path", async () => {
    const own = (port: number) => ({
      "apps/web/svc.yaml": `# spec: svc/v1\nname: shop\nport: ${port}\n`,
      ...yaml("port: 82"),
    });
    expect(await built({ ...apps, ...own(83) }, "apps/web")).toMatchObject({ port: 83 });
    await expect(built({ ...apps, ...own(0) }, "apps/web")).rejects.toThrow("apps/web/svc.yaml:3:7: port: is 0");
    const services = { "apps/web/svc.yaml": "# spec: svc/v1\nname: shop\nservices: {db: {engine: pg}}\n" };
    await expect(built({ ...apps, ...services }, "apps/web")).rejects.toMatchObject({ code: "database_not_ready" });
  });

  it("has to be there, and inside of the repository", async () => {
    await expect(built(apps, "apps/wbe")).rejects.toThrow(
      'The repository has no folder "apps/wbe", which is its `root`. Folders that are there: apps/api, apps/web.',
    );
    for (const root of ["../x", "/etc", "a\nb"]) {
      await expect(built(apps, root)).rejects.toMatchObject({ code: "invalid_request" });
    }
  });
});

describe("what a build may fetch", () => {
  it("is the same when its source lies on the platform's own git host, which may be anywhere", async () => {
    const deploy = deployOf({ Dockerfile: DOCKERFILE });
    const requests: BuildRequest[] = [];
    const build = deploy.ctx.engine.build.bind(deploy.ctx.engine);
    deploy.ctx.engine.build = (request) => (requests.push(request), build(request));
    const credentials = { method: { case: "token" as const, value: "t" } };
    await deploy.build({ platformHosted: true, credentials, outbound: { allowCidrs: ["10.1.0.0/16"] } });
    expect(deploy.fetches[0]?.outbound.allowCidrs).toEqual(["0.0.0.0/0", "::/0"]);
    expect(requests[0]?.outbound.allowCidrs).toEqual(["10.1.0.0/16"]);
  });
});

describe("a fetch", () => {
  const full = {
    code: "disk_full",
    message: expect.stringMatching(/^There is no room for the repository: only \d+ MiB/),
  };

  it("is refused on a disk that is nearly full", async () => {
    const deploy = deployOf({ Dockerfile: DOCKERFILE });
    deploy.host.knobs.diskAvailableBytes = 2 * 1024 ** 3;
    await expect(deploy.build()).rejects.toMatchObject(full);
    expect(deploy.fetches).toEqual([]);
  });

  it("is ended when the disk becomes nearly full", async () => {
    const deploy = deployOf({ Dockerfile: DOCKERFILE });
    deploy.git.knobs.hangs = true;
    const building = deploy.build();
    deploy.host.knobs.diskAvailableBytes = 2 * 1024 ** 3;
    await expect(building).rejects.toMatchObject(full);
    expect(deploy.fetches).toHaveLength(1);
  });
});
