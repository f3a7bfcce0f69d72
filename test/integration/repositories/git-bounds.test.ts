import { readdir, readFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import {
  FETCH_BOUNDS,
  OWN_BOUNDS,
  PUSH_BOUNDS,
  type GitBounds,
} from "@svc/control-plane/repositories/hosting/git-bounds.ts";
import { PLACES_OF_USER_MAX } from "@svc/control-plane/repositories/hosting/git-places.ts";
import { serveGit } from "@svc/control-plane/repositories/hosting/http-backend.ts";
import { runGit } from "@svc/control-plane/repositories/hosting/run-git.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { packetLine, useHostedGitWorld } from "../../support/git/hosted-git-world.ts";
import { packOfDeltaChain, packOfGrowingDelta, packOfZeros, packThatClaims } from "../../support/git/hostile-packs.ts";

const GIB = 1024 ** 3;
const ZEROS = "0".repeat(40);

const world = useHostedGitWorld();

/** The body of a push of one tag. */
function pushOf(id: string, pack: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`${packetLine(`${ZEROS} ${id} refs/tags/bomb\0 report-status side-band-64k`)}0000`),
    pack,
  ]);
}

test("an object that unpacks to more than a push may bring is refused before it is unpacked, and the rest works on", async () => {
  const id = await world.makeRepository("zip-bomb");
  const before = await world.contentOf(id);
  const bomb = await packOfZeros(GIB);
  expect(bomb.pack.length).toBeLessThan(8 * 1024 ** 2);
  expect(await world.post("zip-bomb", "git-receive-pack", pushOf(bomb.id, bomb.pack))).toContain(
    `attempting to allocate ${GIB + 1} over limit`,
  );
  const delta = packOfGrowingDelta(10 * GIB);
  expect(delta.length).toBeLessThan(64 * 1024);
  expect(await world.post("zip-bomb", "git-receive-pack", pushOf("a".repeat(40), delta))).toMatch(
    /attempting to allocate \d{11} over limit/,
  );
  expect(await world.post("zip-bomb", "git-receive-pack", pushOf("a".repeat(40), packThatClaims(1e9)))).toMatch(
    /attempting to allocate \d{11} over limit/,
  );
  expect(await world.contentOf(id)).toEqual(before);
  await world.client.clone(world.urlOf("zip-bomb"), "zip-bomb", world.ada.key);
  await world.client.commit("zip-bomb", { "a.txt": "a" });
  expect(await world.client.git("zip-bomb", world.ada.key, "push")).toMatchObject({ ok: true });
});

test("a chain of deltas that takes more than a push's processor time is ended, and leaves the repository as it was", async () => {
  const id = await world.makeRepository("chain");
  const before = await world.contentOf(id);
  const body = pushOf("a".repeat(40), packOfDeltaChain(20_000, 1024 ** 2));
  const answer = await serve(id, { ...PUSH_BOUNDS, processorSeconds: 1 }, body);
  expect(await answer.text()).toContain("unpack index-pack abnormal exit");
  expect(await world.http.hosting.folders.refCount(id)).toBe(before.refs);
  expect(await world.client.clone(world.urlOf("chain"), "chain", world.ada.key)).toMatchObject({ ok: true });
});

test("a push that needs more memory than it may have is ended, and leaves the repository as it was", async () => {
  const id = await world.makeRepository("memory");
  const before = await world.contentOf(id);
  const body = pushOf("a".repeat(40), packOfDeltaChain(5, 90 * 1024 ** 2));
  const answer = await serve(id, { ...PUSH_BOUNDS, memoryBytes: 128 * 1024 ** 2 }, body);
  expect(await answer.text()).toMatch(/[Oo]ut of memory/);
  expect(await world.contentOf(id)).toEqual(before);
});

function serve(repositoryId: string, bounds: GitBounds, body: Buffer): Promise<Response> {
  const request = new Request("http://127.0.0.1/", {
    method: "POST",
    headers: { "Content-Type": "application/x-git-receive-pack-request" },
    body: new Uint8Array(body),
  });
  const { root } = world.http.hosting.folders;
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
    const id = await world.makeRepository(name);
    let end = (): void => undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(Buffer.from("0094"));
        end = () => controller.close();
      },
    });
    const asking = fetch(`${world.urlOf(name)}/${service}`, {
      method: "POST",
      headers: {
        Authorization: `Basic ${Buffer.from(`x:${world.ada.key}`).toString("base64")}`,
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
  const id = await world.makeRepository("crowd");
  const { folders } = world.http.hosting;
  let [running, most] = [0, 0];
  for (const name of ["sizeOf", "refCount", "headAfterPush"] as const) {
    const look = folders[name].bind(folders) as (id: string) => Promise<never>;
    vi.spyOn(folders, name).mockImplementation(async (asked: string) => {
      if (name === "sizeOf" && asked !== id) return look(asked);
      most = Math.max(most, (running += 1));
      return look(asked).finally(() => (running -= 1));
    });
  }
  const pushes = Array.from({ length: 100 }, () => world.post("crowd", "git-receive-pack", Buffer.from("0000")));
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
