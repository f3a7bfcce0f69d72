import { mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { RepositoryFetch } from "../dockerfile/additions.ts";
import { readRepositorySource } from "../dockerfile/repository-source.ts";
import { createDummyGit, type DummyGit } from "../../dummy/git.ts";
import type { CheckoutRequest } from "../../ports.ts";
import type { Addition } from "./addition.ts";
import { fetchAdditions } from "./fetch-additions.ts";

const URL_OF_ALL = "https://a.example/b.git";

let git: DummyGit;
let requests: CheckoutRequest[];
let log: string[];
let directory: string;
/** Adds more to the checkout than the files. */
let more: (checkout: string) => Promise<void>;

beforeEach(async () => {
  [git, requests, log, more] = [createDummyGit(), [], [], () => Promise.resolve()];
  directory = await mkdtemp(join(tmpdir(), "svc-repository-"));
  onTestFinished(() => rm(directory, { recursive: true }));
});

function fetchOf(source: string): RepositoryFetch {
  const instruction = { line: 2, name: "ADD", flags: [], rest: "", heredocs: [], shown: "" };
  return { kind: "repository", instruction, ...readRepositorySource(source, instruction) };
}

async function fetchAll(sources: string[], signal = AbortSignal.timeout(10_000)): Promise<Addition[]> {
  const checkout = async (request: CheckoutRequest): Promise<{ commitSha: string }> => {
    requests.push(request);
    const result = await git.checkout(request);
    await more(request.directory);
    return result;
  };
  const additions = await fetchAdditions(sources.map(fetchOf), {
    git: { checkout },
    directory,
    outbound: { allowCidrs: ["10.0.0.0/8"], caPem: "", dnsServers: [] },
    output: { log: (line) => log.push(line), progress: () => {} },
    signal,
  });
  return [...additions.values()];
}

async function refusal(source: string): Promise<SvcError> {
  const error: unknown = await fetchAll([source]).catch((reason: unknown) => reason);
  if (!(error instanceof SvcError)) throw error;
  return error;
}

test("a repository is fetched without credentials, by the rules of clones, and its commit is told", async () => {
  await fetchAll([`${URL_OF_ALL}#v1`]);
  expect(requests).toMatchObject([{ repoUrl: URL_OF_ALL, ref: "v1", outbound: { allowCidrs: ["10.0.0.0/8"] } }]);
  expect(requests[0]!.credentials).toBeUndefined();
  expect(log).toEqual([expect.stringMatching(/^Fetched v1 of https:\/\/a\.example\/b\.git for ADD: [0-9a-f]{40}$/)]);
});

test("a repository that several instructions name is fetched once, and each of its refs and folders by itself", async () => {
  git.knobs.files = { "a/b": "" };
  const all = await fetchAll([URL_OF_ALL, URL_OF_ALL, `${URL_OF_ALL}#v1`, `${URL_OF_ALL}#v1:a`]);
  expect(requests.map(({ ref }) => ref)).toEqual([undefined, "v1", "v1"]);
  expect(all[0]).toBe(all[1]);
  expect(new Set(all.map(({ digest }) => digest)).size).toBe(3);
});

test("all that a build adds has 1 GiB and 200,000 files together", async () => {
  git.knobs.files = { "a/b": "x".repeat(1024 ** 2) };
  const [{ bytes, files } = { bytes: 0, files: 0 }] = await fetchAll([URL_OF_ALL, `${URL_OF_ALL}#v1`]);
  expect(bytes).toBeGreaterThanOrEqual(1024 ** 2);
  expect(files).toBe(2);
  expect(requests.map(({ limits }) => limits)).toEqual([
    { bytesMax: 1024 ** 3, filesMax: 200_000 },
    { bytesMax: 1024 ** 3 - bytes, filesMax: 200_000 - files },
  ]);
  git.knobs.failure = "repository_too_large";
  expect((await refusal(URL_OF_ALL)).message).toMatch(
    /All that a build adds may have 1 GiB and 200,000 files together\.$/,
  );
});

test("a folder is added alone, without .git, and what lies beside it does not stay", async () => {
  git.knobs.files = { "docs/en/a.md": "a", "b.md": "b", ".git/config": "" };
  const [whole, part] = await fetchAll([URL_OF_ALL, `${URL_OF_ALL}#:docs`]);
  expect((await readdir(whole!.path)).toSorted()).toEqual(["b.md", "docs"]);
  expect(await readdir(part!.path, { recursive: true })).toEqual(["en", "en/a.md"]);
  expect(await readdir(directory)).toEqual(["0", "1"]);
});

test("a link that stays inside the repository leads to its folder", async () => {
  git.knobs.files = { "docs/a.md": "a" };
  more = (checkout) => symlink("docs", join(checkout, "link"));
  const [addition] = await fetchAll([`${URL_OF_ALL}#:link`]);
  expect(await readdir(addition!.path)).toEqual(["a.md"]);
});

test("links are added as links and not followed, wherever they lead", async () => {
  git.knobs.files = { "docs/a.md": "a" };
  more = async (checkout) => {
    await symlink("..", join(checkout, "docs", "around"));
    await symlink(tmpdir(), join(checkout, "docs", "out"));
  };
  const [addition] = await fetchAll([URL_OF_ALL]);
  expect(addition!.files).toBe(4);
});

test.each(["out", "out/tmp", "loop", "missing", "index.html", ".git"])(
  "a folder %j that is none inside the repository is refused",
  async (folder) => {
    git.knobs.files = { "index.html": "", ".git/config": "" };
    more = async (checkout) => {
      await symlink("../..", join(checkout, "out"));
      await symlink("loop", join(checkout, "loop"));
    };
    const { code, message } = await refusal(`${URL_OF_ALL}#:${folder}`);
    expect(code).toBe("build_failed");
    expect(message).toBe(
      `Line 2 of the Dockerfile, ADD: ${URL_OF_ALL} cannot be fetched. It has no folder ${folder} inside it. ` +
        "Check the part behind the colon.",
    );
  },
);

test("a name that an image takes for a removal is refused", async () => {
  git.knobs.files = { "a/.wh.b": "" };
  expect((await refusal(URL_OF_ALL)).message).toMatch(/It holds "\.wh\.b"; no image holds names that begin/);
});

test("a name that is not UTF-8 is refused", async () => {
  more = (checkout) => writeFile(Buffer.concat([Buffer.from(`${checkout}/`), Buffer.from([0xff])]), "");
  expect((await refusal(URL_OF_ALL)).message).toMatch(/a name that is not UTF-8/);
});

test("a fault that its author can mend is reported with the line; a full disk and an end from outside are reported as such", async () => {
  git.knobs.failure = "repository_needs_credentials";
  const { code, message } = await refusal(URL_OF_ALL);
  expect(code).toBe("build_failed");
  expect(message).toMatch(/^Line 2 of the Dockerfile, ADD: .* cannot be fetched\. The dummy repository answers/);
  git.knobs.failure = "disk_full";
  expect((await refusal(URL_OF_ALL)).code).toBe("disk_full");
  Object.assign(git.knobs, { failure: undefined, hangs: true });
  const ended = new SvcError("build_timed_out", "late");
  const controller = new AbortController();
  const fetching = fetchAll([URL_OF_ALL], controller.signal);
  controller.abort(ended);
  await expect(fetching).rejects.toBe(ended);
});
