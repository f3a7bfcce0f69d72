import { randomUUID } from "node:crypto";
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGit } from "@svc/agent/source/git/git.ts";
import { sshCommand } from "@svc/agent/source/git/ssh-command.ts";
import type { CheckoutRequest, GitCredentials } from "@svc/agent/ports.ts";
import { sweepClones } from "@svc/agent/source/checkout.ts";
import { makeOpenSshKey } from "@svc/control-plane/apps/deploy-keys/openssh-key.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { startSshGitHost, type SshGitHost } from "../../support/doubles/ssh-git-host.ts";
import { promise } from "../../support/promises/promise.ts";

let host: SshGitHost;
let sha: string;
// ssh splits the values of its options at spaces and expands %, a shell would run the rest.
let dataDirectory: string;
const key = makeOpenSshKey("svc:test");
const other = makeOpenSshKey("svc:other");

beforeAll(async () => {
  host = await startSshGitHost();
  dataDirectory = join(await mkdtemp(join(tmpdir(), "svc-ssh-clone-")), 'it\'s 100%h "$(touch canary)"');
  await mkdir(dataDirectory);
  sha = await host.repository("you/shop", { "index.html": "hello\n" });
  await host.authorize([key.publicKey]);
});
afterAll(async () => {
  await host?.close();
  await rm(join(dataDirectory, ".."), { recursive: true, force: true });
});

function ssh(options: { privateKey?: string; hostKey?: string } = {}): GitCredentials {
  const { privateKey = key.privateKey, hostKey = host.hostKey } = options;
  return { kind: "ssh", privateKey, knownHosts: [`[localhost]:${host.port} ${hostKey}`] };
}

async function checkout(request: Partial<CheckoutRequest> = {}): Promise<{ commitSha: string; directory: string }> {
  const directory = join(dataDirectory, `clone-${randomUUID()}`);
  const git = createGit({ dataDirectory, log: silentLogger });
  const { commitSha } = await git.checkout({
    repoUrl: `${host.url}/you/shop.git`,
    ref: undefined,
    outbound: { allowCidrs: ["127.0.0.0/8"], caPem: "", dnsServers: [] },
    credentials: ssh(),
    output: { log: () => {}, progress: () => {} },
    signal: new AbortController().signal,
    ...request,
    directory,
  });
  return { commitSha, directory };
}

async function failure(request: Partial<CheckoutRequest>): Promise<SvcError> {
  const error = await checkout(request).then(
    ({ commitSha }) => new Error(`got ${commitSha}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof SvcError)) throw error;
  expect(error.message).not.toContain(dataDirectory);
  expect(error.message).not.toContain("PRIVATE KEY");
  return error;
}

describe("a private repository is read over SSH", () => {
  it("with the deploy key, and nothing of the key is left", async () => {
    const { commitSha, directory } = await checkout();
    expect(commitSha).toBe(sha);
    expect(await readFile(join(directory, "index.html"), "utf8")).toBe("hello\n");
    expect((await readdir(dataDirectory)).filter((name) => name.includes("scratch"))).toEqual([]);
    expect(await readFile(join(directory, ".git", "config"), "utf8")).not.toContain("ssh");
  });

  it("by branch, by full and by short SHA", async () => {
    for (const ref of ["main", sha, sha.slice(0, 9)]) expect((await checkout({ ref })).commitSha).toBe(sha);
  });

  it("by that key alone: another one is told to be added", async () => {
    promise("deploy keys", "an app that has a deploy key is cloned over SSH with that key alone");
    const error = await failure({ credentials: ssh({ privateKey: other.privateKey }) });
    expect(error.code).toBe("repository_needs_credentials");
    expect(error.message).toMatch(/read-only deploy key/);
    expect((await readdir(dataDirectory)).filter((name) => name.includes("scratch"))).toEqual([]);
  });

  it("from a host with a pinned key alone", async () => {
    const error = await failure({ credentials: ssh({ hostKey: other.publicKey.split(" ").slice(0, 2).join(" ") }) });
    expect(error.code).toBe("repository_unreachable");
    expect(error.message).toMatch(/pinned.*SVC_GIT_HOSTS_FILE/);
  });

  it("from a host whose pinned keys are another host's", async () => {
    promise("deploy keys", "only the pinned keys of the git host are accepted");
    const credentials: GitCredentials = {
      kind: "ssh",
      privateKey: key.privateKey,
      knownHosts: [`elsewhere.example ${host.hostKey}`],
    };
    expect((await failure({ credentials })).message).toMatch(/pinned/);
  });

  it("and one that is not there is told", async () => {
    const error = await failure({ repoUrl: `${host.url}/you/nothing.git` });
    expect([error.code, error.message]).toEqual(["repository_not_found", expect.stringMatching(/deploy key/)]);
    expect((await failure({ ref: "missing" })).code).toBe("ref_not_found");
  });

  it("never without a key, nor at an address that is not allowed", async () => {
    expect((await failure({ credentials: undefined })).code).toBe("invalid_request");
    const error = await failure({ outbound: { allowCidrs: [], caPem: "", dnsServers: [] } });
    expect([error.code, error.message]).toEqual(["repository_unreachable", expect.stringMatching(/loopback/)]);
  });

  it.each([
    "ssh://-oProxyCommand=touch@x/a/b",
    "ssh://git@-oProxyCommand=x/a/b",
    "ssh://git@x:22/a/b'c",
    "ssh://git:x@y/a",
  ])("never from %s", async (repoUrl) => {
    expect((await failure({ repoUrl })).code).toBe("invalid_request");
  });
});

describe("while it is read", () => {
  it("the key is in a file of its owner's alone, and in no process's arguments or environment", async () => {
    const secret = key.privateKey.split("\n")[2]!;
    const seen = { files: 0 };
    const done = checkout();
    let isDone = false;
    void done.finally(() => (isDone = true));
    while (!isDone) {
      for (const name of await readdir(dataDirectory)) {
        const folder = join(dataDirectory, name, "ssh");
        const modes = await Promise.all([lstat(folder), lstat(join(folder, "key"))]).catch(() => undefined);
        if (!modes) continue;
        seen.files += 1;
        expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600]);
      }
      for (const pid of (await readdir("/proc")).filter(
        (name) => /^[0-9]+$/.test(name) && Number(name) !== process.pid,
      )) {
        const told = await Promise.all([read(`/proc/${pid}/cmdline`), read(`/proc/${pid}/environ`)]);
        if (told.join("").includes(secret)) throw new Error(`process ${pid} tells the key`);
      }
    }
    await done;
    expect(seen.files).toBeGreaterThan(0);
  });
});

const read = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");

it("the leftovers of a killed agent's clone, its key included, are gone when it starts", async () => {
  const left = join(dataDirectory, "clones", randomUUID(), "source.git-scratch", "ssh");
  await mkdir(left, { recursive: true });
  await writeFile(join(left, "key"), key.privateKey);
  await sweepClones(dataDirectory);
  expect(await readdir(dataDirectory)).not.toContain("clones");
});

it("a path with quotes stays one word of ssh's command", () => {
  const files = { keyFile: "/a 'b' \"c\" %d/key", knownHostsFile: "/k" };
  const command = sshCommand({ url: new URL("ssh://git@git.example:22/a/b"), address: "192.0.2.1", ...files });
  expect(command).toContain(`'IdentityFile="/a '\\''b'\\'' \\"c\\" %%d/key"'`);
  expect(command).toContain("'HostKeyAlias=git.example'");
  expect(command).toContain("'HostName=192.0.2.1'");
});

describe("a repository of the platform's own host is read with a token", () => {
  it("as the password of svc, which no output tells", async () => {
    promise("deploys", "a repository of the platform's own is cloned with the platform's token");
    const requests: (string | undefined)[] = [];
    const server = createServer((req: IncomingMessage, res) => {
      requests.push(req.headers.authorization);
      res.writeHead(404).end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const repoUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/git/a/b.git`;
    try {
      const error = await failure({ repoUrl, credentials: { kind: "token", token: "svcgit_secret" } });
      expect(error.code).toBe("repository_not_found");
      expect(error.message).not.toContain("svcgit_secret");
      expect(requests[0]).toBe(`Basic ${Buffer.from("svc:svcgit_secret").toString("base64")}`);
      expect((await failure({ repoUrl, credentials: undefined })).code).toBe("invalid_request");
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  it("never in the clear to another machine", async () => {
    const credentials: GitCredentials = { kind: "token", token: "svcgit_secret" };
    const error = await failure({
      repoUrl: "http://192.0.2.1/git/a/b.git",
      outbound: { allowCidrs: ["192.0.2.0/24"], caPem: "", dnsServers: [] },
      credentials,
    });
    expect([error.code, error.message]).toEqual(["invalid_request", expect.stringMatching(/SVC_BASE_URL/)]);
  });
});
