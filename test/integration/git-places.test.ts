import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PLACES_MAX, PLACES_OF_USER_MAX } from "@svc/control-plane/hosting/git-places.ts";
import { serveGit } from "@svc/control-plane/hosting/http-backend.ts";
import { newId } from "@svc/shared/ids.ts";

let root: string;
const repositoryId = newId();

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "svc-git-places-"));
  await promisify(execFile)("git", ["init", "--quiet", "--bare", join(root, `${repositoryId}.git`)]);
});
afterAll(() => rm(root, { recursive: true, force: true }));

let ends = 0;
async function ask(userId: string | undefined): Promise<Response> {
  const onEnd = async (): Promise<void> => void (ends += 1);
  const request = new Request("http://127.0.0.1/");
  return serveGit({
    root,
    repositoryId,
    userId,
    service: "git-upload-pack",
    advertises: true,
    request,
    refCount: 0,
    onEnd,
  });
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
      refCount: 0,
      onEnd,
    });
  });
  const waits = ask("ada");
  for (const user of ["eve", undefined]) expect((await (await ask(user)).text()).length).toBeGreaterThan(0);
  for (const client of clients) client.close();
  for (const ended of await Promise.allSettled(slow)) if (ended.status === "fulfilled") await ended.value.text();
  expect((await (await waits).text()).length).toBeGreaterThan(0);
});
