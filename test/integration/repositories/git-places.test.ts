import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FETCH_BOUNDS } from "@svc/control-plane/repositories/hosting/git-bounds.ts";
import { PLACES_MAX, PLACES_OF_USER_MAX } from "@svc/control-plane/repositories/hosting/git-places.ts";
import { serveGit, type Admission, type BackendRequest } from "@svc/control-plane/repositories/hosting/http-backend.ts";
import { listen } from "@svc/control-plane/api/listener.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { eventually } from "../../support/tools/eventually.ts";

let root: string;
const repositoryId = newId();

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "svc-git-places-"));
  await promisify(execFile)("git", ["init", "--quiet", "--bare", join(root, `${repositoryId}.git`)]);
});
afterAll(() => rm(root, { recursive: true, force: true }));

let ends = 0;
async function ask(userId: string | undefined, others: Partial<BackendRequest> = {}): Promise<Response> {
  const onEnd = async (): Promise<void> => void (ends += 1);
  const request = new Request("http://127.0.0.1/");
  return serveGit({
    root,
    repositoryId,
    userId,
    service: "git-upload-pack",
    advertises: true,
    request,
    onEnd,
    ...others,
  });
}

/** A repository whose list of refs is larger than what pipes and sockets hold unread. */
async function makeManyRefs(): Promise<string> {
  const id = newId();
  const path = join(root, `${id}.git`);
  const git = async (...argv: string[]): Promise<string> =>
    (await promisify(execFile)("git", ["--git-dir", path, ...argv])).stdout.trim();
  await promisify(execFile)("git", ["init", "--quiet", "--bare", path]);
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
  const tree = await git("hash-object", "-t", "tree", "-w", "/dev/null");
  const commit = await git(...identity, "commit-tree", "-m", "first", tree);
  const tags = Array.from({ length: 300_000 }, (_, i) => `${commit} refs/tags/v${i}`);
  await writeFile(join(path, "packed-refs"), `# pack-refs with: sorted \n${tags.sort().join("\n")}\n`);
  return id;
}

test("clients that hang up before they read anything take no place away", async () => {
  for (let i = 0; i < PLACES_MAX + 1; i += 1) await (await ask(undefined)).body?.cancel();
  const answer = await ask("ada");
  expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true]);
  expect(ends).toBe(PLACES_MAX + 2);
});

test("one user's slow clones leave places for others and for deploys", async () => {
  const clients: ReadableStreamDefaultController[] = [];
  const slow = Array.from({ length: PLACES_OF_USER_MAX }, () => {
    const body = new ReadableStream({ start: (controller) => void clients.push(controller) });
    const headers = { "Content-Type": "application/x-git-upload-pack-request" };
    const request = new Request("http://127.0.0.1/", { method: "POST", headers, body, duplex: "half" });
    const onEnd = async (): Promise<void> => undefined;
    return serveGit({
      root,
      repositoryId,
      userId: "ada",
      service: "git-upload-pack",
      advertises: false,
      request,
      onEnd,
    });
  });
  let isAnswered = false;
  const waits = ask("ada").finally(() => (isAnswered = true));
  for (const user of ["eve", undefined]) expect((await (await ask(user)).text()).length).toBeGreaterThan(0);
  expect(isAnswered).toBe(false);
  for (const client of clients) client.close();
  for (const ended of await Promise.allSettled(slow)) if (ended.status === "fulfilled") await ended.value.text();
  expect((await (await waits).text()).length).toBeGreaterThan(0);
});

test("clones whose readers stop reading end at the time limit, and free their places", async () => {
  const many = await makeManyRefs();
  const before = ends;
  const readers = [];
  for (let i = 0; i < PLACES_OF_USER_MAX; i += 1) {
    const answer = await ask("ada", { repositoryId: many, bounds: { ...FETCH_BOUNDS, msMax: 500 } });
    const reader = answer.body!.getReader();
    await reader.read();
    readers.push(reader);
  }
  const next = await ask("ada");
  expect((await next.text()).length).toBeGreaterThan(0);
  await eventually(
    () => ends - before,
    (count) => count === PLACES_OF_USER_MAX + 1,
    { what: "the ends of all" },
  );
  for (const reader of readers) await expect(reader.read()).rejects.toThrow("git was ended at its time limit");
});

test("a client that stays connected and reads nothing loses its connection at the time limit", async () => {
  const many = await makeManyRefs();
  const sockets: Socket[] = [];
  const fetch = async (_request: Request, { incoming }: { incoming: { socket: Socket } }): Promise<Response> => {
    sockets.push(incoming.socket);
    return ask("eve", { repositoryId: many, bounds: { ...FETCH_BOUNDS, msMax: 500 } });
  };
  const address = { host: "127.0.0.1", port: 0 };
  const listener = await listen({ fetch }, { address, tls: undefined, log: silentLogger });
  const client = connect(listener.address.port, "127.0.0.1");
  client.pause().write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await expect.poll(() => sockets[0]?.destroyed).toBe(true);
  client.destroy();
  await listener.close();
});

test("pushes are admitted within their places, and give back what they were promised", async () => {
  let [running, most, givenBack] = [0, 0, 0];
  const admit = async (): Promise<Admission> => {
    most = Math.max(most, (running += 1));
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return { refCount: 0, leave: () => void (givenBack += 1) };
  };
  const pushes = Array.from({ length: 3 * PLACES_OF_USER_MAX }, async () => {
    const answer = await ask("ada", { service: "git-receive-pack", admit });
    return answer.text();
  });
  expect((await Promise.all(pushes)).every((text) => text.length > 0)).toBe(true);
  expect(most).toBe(PLACES_OF_USER_MAX);
  expect(givenBack).toBe(pushes.length);
});

test("a push keeps its place until it has been noted", async () => {
  const noted = Promise.withResolvers<void>();
  let noting = 0;
  const onEnd = (): Promise<void> => {
    noting += 1;
    return noted.promise;
  };
  const pushes = Array.from({ length: PLACES_OF_USER_MAX }, async () =>
    (await ask("ada", { service: "git-receive-pack", onEnd })).text(),
  );
  await eventually(
    () => noting,
    (count) => count === PLACES_OF_USER_MAX,
    { what: "all are being noted" },
  );
  let isAnswered = false;
  const waits = ask("ada").finally(() => (isAnswered = true));
  expect((await (await ask("eve")).text()).length).toBeGreaterThan(0);
  expect(isAnswered).toBe(false);
  noted.resolve();
  expect((await (await waits).text()).length).toBeGreaterThan(0);
  await Promise.all(pushes);
});

test("a push that is not admitted gives its place back", async () => {
  const admit = async (): Promise<never> => Promise.reject(new Error("refused"));
  for (let i = 0; i < PLACES_MAX + 1; i += 1) {
    await expect(ask("ada", { service: "git-receive-pack", admit })).rejects.toThrow("refused");
  }
  expect((await (await ask("ada")).text()).length).toBeGreaterThan(0);
});
