import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { lstat, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { refProblem } from "@svc/shared/rules/git-ref.ts";
import { createGit, type GitOptions } from "@svc/agent/source/git/git.ts";
import type { CheckoutRequest } from "@svc/agent/ports.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeServerCertificates } from "../../support/doubles/certificates.ts";
import { startGitHost, type GitHost, type TestRepository } from "../../support/doubles/git-host.ts";
import { promise } from "../../support/promises/promise.ts";

let host: GitHost;
let repository: TestRepository;
let dataDirectory: string;
let firstSha: string;
let secondSha: string;

beforeAll(async () => {
  host = await startGitHost();
  dataDirectory = await mkdtemp(join(tmpdir(), "svc-git-test-"));
  repository = await host.repository("app", { "index.js": "1\n", "lib/a.js": "a\n", link: { symlink: "index.js" } });
  firstSha = await repository.git("rev-parse", "HEAD");
  await repository.tag("v1", { annotated: true });
  await repository.tag("light");
  await repository.commit({ "index.js": "branch\n" }, { branch: "feature/one" });
  secondSha = await repository.commit({ "index.js": "2\n" });
});

afterAll(async () => {
  await host.close();
  await rm(dataDirectory, { recursive: true, force: true });
});

let count = 0;
function checkout(
  request: Partial<CheckoutRequest> & { allowCidrs?: string[]; caPem?: string },
  limits: GitOptions["limits"] = {},
): Promise<{ commitSha: string; directory: string }> {
  const directory = request.directory ?? join(dataDirectory, `clone-${(count += 1)}`);
  const git = createGit({ dataDirectory, log: silentLogger, limits });
  return git
    .checkout({
      repoUrl: repository.url,
      ref: undefined,
      outbound: {
        allowCidrs: request.allowCidrs ?? ["127.0.0.0/8"],
        caPem: request.caPem ?? host.caPem,
        dnsServers: [],
      },
      output: { log: () => {}, progress: () => {} },
      signal: new AbortController().signal,
      ...request,
      directory,
    })
    .then((result) => ({ ...result, directory }));
}

async function failure(...args: Parameters<typeof checkout>): Promise<SvcError> {
  const error = await checkout(...args).then(
    ({ commitSha }) => new Error(`got ${commitSha}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof SvcError)) throw error;
  expect(error.message).not.toContain(dataDirectory);
  return error;
}

async function gitProcesses(): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^[0-9]+$/.test(name));
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return commands.filter((command) => command.includes(host.url));
}

describe("a ref is fetched to its full SHA", () => {
  it("as the default branch", async () => {
    const { commitSha, directory } = await checkout({});
    expect(commitSha).toBe(secondSha);
    expect(await readFile(join(directory, "index.js"), "utf8")).toBe("2\n");
    expect((await lstat(join(directory, "link"))).isSymbolicLink()).toBe(true);
  });

  it("as a branch", async () => {
    const { directory } = await checkout({ ref: "feature/one" });
    expect(await readFile(join(directory, "index.js"), "utf8")).toBe("branch\n");
  });

  it.each(["v1", "light", "refs/tags/v1"])("as the tag %s", async (ref) => {
    promise("deploys", "a branch, a tag or a commit is deployed, or the default branch");
    expect((await checkout({ ref })).commitSha).toBe(firstSha);
  });

  it("as a full SHA that is no longer a branch's tip", async () => {
    expect((await checkout({ ref: firstSha })).commitSha).toBe(firstSha);
  });

  it("as a short SHA", async () => {
    expect((await checkout({ ref: firstSha.slice(0, 9) })).commitSha).toBe(firstSha);
  });

  it("as a branch whose name looks like a short SHA or a forced refspec", async () => {
    await repository.setBranch("abcdef12", firstSha);
    await repository.setBranch("+plus", firstSha);
    expect((await checkout({ ref: "abcdef12" })).commitSha).toBe(firstSha);
    expect((await checkout({ ref: "+plus" })).commitSha).toBe(firstSha);
  });

  it("over what an earlier, interrupted checkout left", async () => {
    const { directory } = await checkout({ ref: "v1" });
    expect((await checkout({ directory })).commitSha).toBe(secondSha);
    expect(await readFile(join(directory, "index.js"), "utf8")).toBe("2\n");
  });

  it.each(["missing", "0123456789", "0".repeat(39) + "1", "a".repeat(64)])("and %s is not found", async (ref) => {
    const error = await failure({ ref });
    expect(error.code).toBe("ref_not_found");
    expect(error.message).toContain(ref);
  });

  it("and an empty repository has no default branch", async () => {
    await repository.git("init", "--quiet", "--bare", "../../served/empty.git");
    expect((await failure({ repoUrl: host.urlOf("empty") })).code).toBe("ref_not_found");
  });

  it.each(["--upload-pack=touch /tmp/x", "-c", "a:b", "a..b", "*", ""])("and %j is refused", async (ref) => {
    expect((await failure({ ref })).code).toBe("invalid_request");
  });

  it("and the rules for refs agree with git's", async () => {
    const piece = fc.constantFrom(
      "a",
      "B",
      "é",
      ".",
      "..",
      "/",
      "@",
      "{",
      "~",
      "^",
      ":",
      "*",
      "[",
      "\\",
      " ",
      "lock",
      "\t",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 6 }), async (pieces) => {
        const ref = pieces.join("");
        const accepted = await promisify(execFile)("git", ["check-ref-format", "--allow-onelevel", ref]).then(
          () => true,
          () => false,
        );
        expect(refProblem(ref) === undefined).toBe(accepted);
      }),
      { numRuns: 150 },
    );
  });
});

describe("a bad repository ends with what its user can do", () => {
  it.each([
    ["http://localhost/app.git", /https/],
    ["git@github.com:a/b.git", /must begin with https/],
    ["https://user:secret@localhost/app.git", /credentials/],
    ["https://localhost/app.git?x=1", /\?/],
    ["https://localhost", /no path/],
    ["ext::sh -c id", /space/],
    ["/etc", /must begin with https/],
  ])("%s", async (repoUrl, sentence) => {
    const error = await failure({ repoUrl });
    expect(error.code).toBe("invalid_request");
    expect(error.message).toMatch(sentence);
    expect(error.message).not.toContain("secret");
  });

  it("missing", async () => {
    expect(await failure({ repoUrl: host.urlOf("missing") })).toMatchObject({ code: "repository_not_found" });
  });

  it("wanting a password", async () => {
    const error = await failure({ repoUrl: host.urlOf("app", "needs-password") });
    expect(error.code).toBe("repository_needs_credentials");
  });

  it.each([
    ["redirects", /redirect/],
    ["fails", /503/],
  ] as const)("on a host that %s", async (behaviour, sentence) => {
    const error = await failure({ repoUrl: host.urlOf("app", behaviour) });
    expect(error.code).toBe("repository_unreachable");
    expect(error.message).toMatch(sentence);
  });

  it("behind a certificate that nobody vouches for", async () => {
    const error = await failure({ caPem: makeServerCertificates().caPem });
    expect(error.code).toBe("repository_unreachable");
    expect(error.message).toMatch(/certificate/);
  });

  it("behind a certificate for another name", async () => {
    const error = await failure({ repoUrl: repository.url.replace("localhost", "other.localhost") });
    expect(error.code).toBe("repository_unreachable");
    expect(error.message).toMatch(/certificate is for another name/);
  });

  it.each(["localhost", "127.0.0.1", "[::1]", "10.0.0.1", "169.254.169.254", "0x7f.1", "[::ffff:127.0.0.1]"])(
    "at the private address %s, without a connection",
    async (name) => {
      const error = await failure({ repoUrl: `https://${name}:${host.port}/app.git`, allowCidrs: [] });
      expect(error.code).toBe("repository_unreachable");
      expect(error.message).toMatch(/public addresses/);
    },
  );

  it("on a host without an address", async () => {
    const error = await failure({ repoUrl: "https://no-such-host.invalid/app.git" });
    expect(error.code).toBe("repository_unreachable");
    expect(error.message).toMatch(/no address/);
  });

  it("on a port that nobody listens on", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    server.close();
    const port = typeof address === "object" ? address?.port : 0;
    const error = await failure({ repoUrl: `https://localhost:${port}/app.git` });
    expect(error.message).toMatch(/refuses connections/);
  });

  it("on a host that never answers", async () => {
    const error = await failure({ repoUrl: host.urlOf("app", "never-answers") }, { silenceMsMax: 300 });
    expect(error.code).toBe("repository_unreachable");
    expect(error.message).toMatch(/did not answer/);
    await expect.poll(gitProcesses).toEqual([]);
  });

  it("on a host that trickles", async () => {
    const error = await failure({ repoUrl: host.urlOf("app", "slow") }, { msMax: 700 });
    expect(error.code).toBe("repository_unreachable");
    expect(error.message).toMatch(/within/);
  });
});

describe("limits", () => {
  it("end the fetch of a repository that is too large", async () => {
    const large = await host.repository("large", { "data.bin": randomBytes(4 * 1024 * 1024) });
    const error = await failure({ repoUrl: large.url }, { bytesMax: 1024 * 1024 });
    expect(error.code).toBe("repository_too_large");
    expect(error.message).toContain("1 MiB");
  });

  it("may be narrower for one checkout, and never wider", async () => {
    const some = await host.repository("some", { "a/data.bin": randomBytes(2 * 1024 * 1024), b: "b" });
    const narrow = await failure({ repoUrl: some.url, limits: { bytesMax: 1024 * 1024, filesMax: 10 } });
    expect(narrow.message).toContain("(1 MiB or 10 files in one commit)");
    const few = await failure({ repoUrl: some.url, limits: { bytesMax: 1024 ** 3, filesMax: 1 } });
    expect(few.code).toBe("repository_too_large");
    const none = await failure({ repoUrl: some.url, limits: { bytesMax: -1, filesMax: -1 } });
    expect(none.code).toBe("repository_too_large");
    const wide = { limits: { bytesMax: 1024 ** 3, filesMax: 10 } };
    expect((await failure({ repoUrl: some.url, ...wide }, { bytesMax: 1024 * 1024 })).code).toBe(
      "repository_too_large",
    );
  });

  it("refuse a small repository that names a hundred thousand files, before any is written", async () => {
    const bomb = await host.repository("bomb", { f0: "x" });
    // Each of five levels holds the one below ten times.
    for (let level = 0; level < 5; level += 1) {
      const below = await bomb.git("rev-parse", "HEAD^{tree}");
      await bomb.git("read-tree", "--empty");
      for (let index = 0; index < 10; index += 1) await bomb.git("read-tree", `--prefix=d${index}/`, below);
      const commit = await bomb.git("commit-tree", await bomb.git("write-tree"), "-m", "bomb");
      await bomb.git("update-ref", "HEAD", commit);
    }
    await bomb.setBranch("main", "HEAD");
    const error = await failure({ repoUrl: bomb.url }, { filesMax: 20_000 });
    expect(error.code).toBe("repository_too_large");
  });
});

describe("a canceled checkout", () => {
  it("ends at once and leaves no process and no file", async () => {
    const controller = new AbortController();
    const directory = join(dataDirectory, "canceled");
    const done = failure({ repoUrl: host.urlOf("app", "slow"), directory, signal: controller.signal });
    await expect.poll(gitProcesses).not.toEqual([]);
    controller.abort(new SvcError("canceled", "The deploy was canceled."));
    expect((await done).code).toBe("canceled");
    await expect.poll(gitProcesses).toEqual([]);
    expect((await readdir(dataDirectory)).filter((name) => name.startsWith("canceled"))).toEqual([]);
  });

  it("runs nothing that the repository brings", async () => {
    const canary = join(dataDirectory, "canary");
    const tricky = await host.repository("tricky", {
      ".gitattributes": "* filter=lfs\n*.txt filter=evil\n",
      ".gitmodules": `[submodule "x"]\n\tpath = x\n\turl = ${repository.url}\n`,
      ".lfsconfig": "[lfs]\n\turl = https://169.254.169.254/\n",
      "a.txt": "version https://git-lfs.github.com/spec/v1\n",
      "hooks/post-checkout": `#!/bin/sh\ntouch ${canary}\n`,
    });
    const { directory } = await checkout({ repoUrl: tricky.url });
    expect(await readFile(join(directory, "a.txt"), "utf8")).toMatch(/git-lfs/);
    await expect(lstat(canary)).rejects.toThrow("ENOENT");
  });

  it("never touches a folder outside of the data directory", async () => {
    expect((await failure({ directory: join(tmpdir(), "svc-elsewhere") })).code).toBe("internal");
  });
});
