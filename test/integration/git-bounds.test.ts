import { open, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  FETCH_BOUNDS,
  OWN_BOUNDS,
  PUSH_BOUNDS,
  PUSH_COMMANDS_MAX,
  type GitBounds,
} from "@svc/control-plane/hosting/git-bounds.ts";
import { DiskRoom } from "@svc/control-plane/hosting/disk-room.ts";
import { PLACES_OF_USER_MAX } from "@svc/control-plane/hosting/git-places.ts";
import { serveGit } from "@svc/control-plane/hosting/http-backend.ts";
import { runGit } from "@svc/control-plane/hosting/run-git.ts";
import { listen, type ApiListener } from "@svc/control-plane/http/listener.ts";
import { silentLogger } from "@svc/shared/logger.ts";
import { eventually } from "../support/eventually.ts";
import { makeGitClient, type GitClient } from "../support/git-client.ts";
import { packOfDeltaChain, packOfGrowingDelta, packOfZeros, packThatClaims } from "../support/hostile-packs.ts";
import { startTestApi, type Caller, type TestApi } from "../support/http.ts";

const GIB = 1024 ** 3;
const ZEROS = "0".repeat(40);

let http: TestApi;
let listener: ApiListener;
let client: GitClient;
let ada: Caller;

beforeAll(async () => {
  http = await startTestApi();
  listener = await listen(http.api, { address: { host: "127.0.0.1", port: 0 }, tls: undefined, log: silentLogger });
  client = await makeGitClient();
  ada = await http.addCaller();
});
afterAll(async () => {
  await listener?.close();
  await client?.remove();
  await http?.stop();
});

const urlOf = (name: string, owner = ada): string =>
  `http://127.0.0.1:${listener.address.port}/git/${owner.userId}/${name}.git`;

async function makeRepository(name: string, owner = ada): Promise<string> {
  expect((await owner.call("POST", "/api/apps", { name, template: "static-site" })).status).toBe(201);
  const { rows } = await http.database.query("select id from repositories where name = $1", [name]);
  return String(rows[0]?.["id"]);
}

const line = (text: string): string => (text.length + 4).toString(16).padStart(4, "0") + text;

/** The body of a push of one tag. */
function pushOf(id: string, pack: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`${line(`${ZEROS} ${id} refs/tags/bomb\0 report-status side-band-64k`)}0000`),
    pack,
  ]);
}

async function post(
  name: string,
  service: "git-receive-pack" | "git-upload-pack",
  body: Buffer,
  headers: Record<string, string> = {},
): Promise<string> {
  const response = await fetch(`${urlOf(name)}/${service}`, {
    method: "POST",
    headers: {
      Authorization: `Basic ${Buffer.from(`x:${ada.key}`).toString("base64")}`,
      "Content-Type": `application/x-${service}-request`,
      ...headers,
    },
    body: new Uint8Array(body),
  });
  return response.text();
}

/** The refs, and the size on the disk. */
async function contentOf(id: string): Promise<{ refs: number; isSmall: boolean }> {
  return {
    refs: await http.hosting.folders.refCount(id),
    isSmall: (await http.hosting.folders.sizeOf(id)) < 1024 ** 2,
  };
}

test("an object that unpacks to more than a push may bring is refused before it is unpacked, and the rest works on", async () => {
  const id = await makeRepository("zip-bomb");
  const before = await contentOf(id);
  const bomb = await packOfZeros(GIB);
  expect(bomb.pack.length).toBeLessThan(8 * 1024 ** 2);
  expect(await post("zip-bomb", "git-receive-pack", pushOf(bomb.id, bomb.pack))).toContain(
    `attempting to allocate ${GIB + 1} over limit`,
  );
  const delta = packOfGrowingDelta(10 * GIB);
  expect(delta.length).toBeLessThan(64 * 1024);
  expect(await post("zip-bomb", "git-receive-pack", pushOf("a".repeat(40), delta))).toMatch(
    /attempting to allocate \d{11} over limit/,
  );
  expect(await post("zip-bomb", "git-receive-pack", pushOf("a".repeat(40), packThatClaims(1e9)))).toMatch(
    /attempting to allocate \d{11} over limit/,
  );
  expect(await contentOf(id)).toEqual(before);
  await client.clone(urlOf("zip-bomb"), "zip-bomb", ada.key);
  await client.commit("zip-bomb", { "a.txt": "a" });
  expect(await client.git("zip-bomb", ada.key, "push")).toMatchObject({ ok: true });
});

test("a chain of deltas that takes more than a push's processor time is ended, and leaves the repository as it was", async () => {
  const id = await makeRepository("chain");
  const before = await contentOf(id);
  const body = pushOf("a".repeat(40), packOfDeltaChain(20_000, 1024 ** 2));
  const answer = await serve(id, { ...PUSH_BOUNDS, processorSeconds: 1 }, body);
  expect(await answer.text()).toContain("unpack index-pack abnormal exit");
  expect(await http.hosting.folders.refCount(id)).toBe(before.refs);
  expect(await client.clone(urlOf("chain"), "chain", ada.key)).toMatchObject({ ok: true });
});

test("a push that needs more memory than it may have is ended, and leaves the repository as it was", async () => {
  const id = await makeRepository("memory");
  const before = await contentOf(id);
  const body = pushOf("a".repeat(40), packOfDeltaChain(5, 90 * 1024 ** 2));
  const answer = await serve(id, { ...PUSH_BOUNDS, memoryBytes: 128 * 1024 ** 2 }, body);
  expect(await answer.text()).toMatch(/[Oo]ut of memory/);
  expect(await contentOf(id)).toEqual(before);
});

function serve(repositoryId: string, bounds: GitBounds, body: Buffer): Promise<Response> {
  const request = new Request("http://127.0.0.1/", {
    method: "POST",
    headers: { "Content-Type": "application/x-git-receive-pack-request" },
    body: new Uint8Array(body),
  });
  const { root } = http.hosting.folders;
  const service = "git-receive-pack";
  const onEnd = async (): Promise<void> => undefined;
  return serveGit({ root, repositoryId, userId: "x", service, advertises: false, request, bounds, onEnd });
}

test.each([
  { service: "git-receive-pack", bounds: PUSH_BOUNDS },
  { service: "git-upload-pack", bounds: FETCH_BOUNDS },
] as const)(
  "$service and all that it starts run within their bounds, after the API, and end first where memory runs out",
  async ({ service, bounds }) => {
    const name = `bounded-${service.length}`;
    const id = await makeRepository(name);
    let end = (): void => undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(Buffer.from("0094"));
        end = () => controller.close();
      },
    });
    const asking = fetch(`${urlOf(name)}/${service}`, {
      method: "POST",
      headers: {
        Authorization: `Basic ${Buffer.from(`x:${ada.key}`).toString("base64")}`,
        "Content-Type": `application/x-${service}-request`,
      },
      body,
      duplex: "half",
    });
    const pids = await eventually(
      () => gitsOf(id),
      (found) => found.length === 3,
      { what: "git, http-backend and the service", intervalMs: 25 },
    );
    for (const pid of pids) {
      const limits = await readFile(`/proc/${pid}/limits`, "utf8");
      const limit = (what: string): string | undefined => new RegExp(`^${what} +(\\d+) +\\1 `, "m").exec(limits)?.[1];
      expect(["address space", "cpu time", "file size", "core file size"].map((what) => limit(`Max ${what}`))).toEqual([
        String(bounds.memoryBytes),
        String(bounds.processorSeconds),
        String(bounds.fileBytes),
        "0",
      ]);
      expect((await readFile(`/proc/${pid}/oom_score_adj`, "utf8")).trim()).toBe("1000");
      expect((await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]!.split(" ")[16]).toBe("10");
    }
    end();
    await (await asking).text();
  },
);

test("the host's own commands run within their bounds, after the API, and end first where memory runs out", async () => {
  const alias = "alias.bounds=!cat /proc/self/limits /proc/self/stat /proc/self/oom_score_adj";
  const text = await runGit(["-c", alias, "bounds"]);
  expect(text).toMatch(new RegExp(`^Max address space +${OWN_BOUNDS.memoryBytes} `, "m"));
  expect(text).toMatch(new RegExp(`^Max cpu time +${OWN_BOUNDS.processorSeconds} `, "m"));
  expect(text).toMatch(new RegExp(`^Max file size +${OWN_BOUNDS.fileBytes} `, "m"));
  expect(text).toMatch(/\n1000$/);
  expect(/\) (.*)/.exec(text)![1]!.split(" ")[16]).toBe("10");
});

test("pushes of one user are looked at within their places, and no more git processes run for them than those", async () => {
  const id = await makeRepository("crowd");
  const { folders } = http.hosting;
  let [running, most] = [0, 0];
  for (const name of ["sizeOf", "refCount", "headAfterPush"] as const) {
    const look = folders[name].bind(folders) as (id: string) => Promise<never>;
    vi.spyOn(folders, name).mockImplementation(async (asked: string) => {
      if (name === "sizeOf" && asked !== id) return look(asked);
      most = Math.max(most, (running += 1));
      return look(asked).finally(() => (running -= 1));
    });
  }
  const pushes = Array.from({ length: 100 }, () => post("crowd", "git-receive-pack", Buffer.from("0000")));
  await Promise.all(pushes);
  vi.restoreAllMocks();
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(PLACES_OF_USER_MAX);
});

/** The processes of git itself that serve the repository. */
async function gitsOf(id: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "");
    const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    if (command.startsWith("git") && environment.includes(`PATH_INFO=/${id}.git/`)) found.push(pid);
  }
  return found;
}

test("a flood of refs is refused with a sentence that git shows, and makes none of them", async () => {
  const id = await makeRepository("refs");
  const before = await contentOf(id);
  const flood = Array.from({ length: 100_000 }, (_, i) =>
    line(`${ZEROS} ${"a".repeat(40)} refs/tags/${i}${i === 0 ? "\0 report-status side-band-64k" : ""}`),
  );
  const sentence = `A push may change at most ${PUSH_COMMANDS_MAX} branches and tags: push them in several parts.`;
  const body = Buffer.from(`${flood.join("")}0000`);
  expect(await post("refs", "git-receive-pack", body)).toContain(sentence);
  expect(await post("refs", "git-receive-pack", gzipSync(body), { "Content-Encoding": "gzip" })).toContain(sentence);

  await client.clone(urlOf("refs"), "refs", ada.key);
  const sha = (await client.git("refs", undefined, "rev-parse", "HEAD")).text.trim();
  const tags = Array.from({ length: PUSH_COMMANDS_MAX + 1 }, (_, i) => `${sha} refs/tags/v${i}`);
  await writeFile(
    join(client.directory, "refs", ".git", "packed-refs"),
    `# pack-refs with: peeled fully-peeled sorted \n${tags.sort().join("\n")}\n`,
  );
  const refused = await client.git("refs", ada.key, "push", "--tags");
  expect(refused.ok).toBe(false);
  expect(refused.text).toContain(sentence);
  expect(await contentOf(id)).toEqual(before);
  expect(await client.git("refs", ada.key, "push", "origin", "refs/tags/v1*:refs/tags/v1*")).toMatchObject({
    ok: true,
  });
});

test("a body that unpacks to more than it may have is refused, and one in an unknown encoding too", async () => {
  const id = await makeRepository("gzip");
  const before = await contentOf(id);
  const gzip = { "Content-Encoding": "gzip" };
  const wants = gzipSync(Buffer.from(line(`have ${"a".repeat(40)}\n`).repeat(100_000)));
  expect(await post("gzip", "git-upload-pack", wants, gzip)).toContain("A clone's request may have at most 4 MiB");
  expect(await post("gzip", "git-receive-pack", wants, { "Content-Encoding": "br" })).toContain("can't be read");
  expect(await contentOf(id)).toEqual(before);
});

test("a clone leaves out all files or all trees, and no other choice costs the host its time", async () => {
  await makeRepository("filtered");
  const clone = (filter: string) =>
    client.git(".", ada.key, "clone", "--quiet", "--bare", `--filter=${filter}`, urlOf("filtered"), `by-${filter}.git`);
  for (const filter of ["tree:0", "blob:none"]) expect(await clone(filter)).toMatchObject({ ok: true });
  for (const filter of ["tree:3", "blob:limit=1", "object:type=tree"]) {
    expect((await clone(filter)).text).toMatch(/not supported|not allowed|tree filter/);
  }
});

/** Makes the folder seem as large: nothing of it is written. */
async function inflate(id: string, bytes: number): Promise<void> {
  const file = await open(join(http.hosting.folders.pathOf(id), "objects", "sparse"), "w");
  await file.truncate(bytes);
  await file.close();
}

test("a repository, and all of an owner's together, hold a bounded number of bytes, and git shows which bound was met", async () => {
  const eve = await http.addCaller();
  const ids = new Map<string, string>();
  for (let i = 0; i < 6; i += 1) ids.set(`full-${i}`, await makeRepository(`full-${i}`, eve));
  expect(await client.clone(urlOf("full-0", eve), "full-0", eve.key)).toMatchObject({ ok: true });
  await client.commit("full-0", { "a.txt": "a" });

  await inflate(ids.get("full-0")!, GIB);
  expect((await client.git("full-0", eve.key, "push")).text).toContain("This repository has reached its 1 GiB");
  for (const id of ids.values()) await inflate(id, 900 * 1024 ** 2);
  expect((await client.git("full-0", eve.key, "push")).text).toContain(
    "Your 6 repositories have reached their 5 GiB together",
  );
  await makeRepository("elsewhere");
  await client.clone(urlOf("elsewhere"), "elsewhere", ada.key);
  await client.commit("elsewhere", { "a.txt": "a" });
  expect(await client.git("elsewhere", ada.key, "push")).toMatchObject({ ok: true });
  await inflate(ids.get("full-1")!, 0);
  expect(await client.git("full-0", eve.key, "push")).toMatchObject({ ok: true });
});

test("a push that would leave the disk too little is refused with a sentence that git shows, and works when there is room", async () => {
  const id = await makeRepository("disk");
  await client.clone(urlOf("disk"), "disk", ada.key);
  await client.commit("disk", { "a.txt": "a" });
  const before = await contentOf(id);
  const disk = {
    totalBytes: 20 * GIB,
    availableBytes: 2 * GIB + PUSH_BOUNDS.fileBytes - 1,
    inodesTotal: 0,
    inodesAvailable: 0,
  };
  const { hosting } = http;
  const real = hosting.disk;
  hosting.disk = new DiskRoom(hosting.folders.root, async () => ({ ...disk }));
  try {
    const refused = await client.git("disk", ada.key, "push");
    expect(refused.ok).toBe(false);
    expect(refused.text).toContain("There is no room for the push: only 2247 MiB of its disk are free on the server.");
    expect(await post("disk", "git-receive-pack", Buffer.from("0000"))).toContain("There is no room for the push");
    expect(await contentOf(id)).toEqual(before);
    expect(await client.clone(urlOf("disk"), "disk-again", ada.key)).toMatchObject({ ok: true });
    disk.availableBytes += 1;
    expect(await client.git("disk", ada.key, "push")).toMatchObject({ ok: true });
  } finally {
    hosting.disk = real;
  }
});
