import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gitHandler } from "../../../deploy/quickstart/git/git-server.ts";
import { makeServerCertificates } from "./certificates.ts";

/** Text of a file, or where a symbolic link leads. In names U+DC80 to U+DCFF stand for the bytes 0x80 to 0xff, which are no UTF-8. */
export type Files = Readonly<Record<string, string | Buffer | { symlink: string }>>;

export interface TestRepository {
  name: string;
  url: string;
  /** Adds the files to those of the branch's last commit; returns the commit's full SHA. */
  commit(files: Files, options?: { branch?: string }): Promise<string>;
  /** Names the last commit of `main`, annotated or not. */
  tag(name: string, options?: { annotated?: boolean }): Promise<void>;
  /** Runs git in the repository's working tree and pushes nothing. */
  git(...argv: string[]): Promise<string>;
  /** Points a branch of the served repository at an object. */
  setBranch(name: string, object: string): Promise<void>;
}

/** How the host treats a request, chosen by the first part of the path: `<url>/<behaviour>/<name>.git`. */
export type Behaviour = "needs-password" | "redirects" | "never-answers" | "slow" | "fails";

export interface GitHost {
  /** `https://localhost:<port>` */
  url: string;
  port: number;
  /** The authority that a client must trust, PEM. */
  caPem: string;
  repository(name: string, files: Files): Promise<TestRepository>;
  urlOf(name: string, behaviour?: Behaviour): string;
  close(): Promise<void>;
}

/** A git host on loopback that speaks the real protocol over TLS, with a knob per failure. */
export async function startGitHost(): Promise<GitHost> {
  const root = await mkdtemp(join(tmpdir(), "svc-git-host-"));
  const served = join(root, "served");
  await mkdir(served);
  const { caPem, cert, key } = makeServerCertificates();
  const server = createServer({ cert, key }, behave(gitHandler(served)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `https://localhost:${port}`;
  const urlOf = (name: string, behaviour?: Behaviour): string =>
    [url, ...(behaviour ? [behaviour] : []), `${name}.git`].join("/");
  return {
    url,
    port,
    caPem,
    urlOf,
    repository: (name, files) => makeRepository({ root, served, name, url: urlOf(name) }, files),
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

function behave(serve: Handler): Handler {
  const behaviours: Record<Behaviour, Handler> = {
    "needs-password": (_req, res) => res.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end(),
    redirects: (req, res) => res.writeHead(301, { location: req.url }).end(),
    "never-answers": () => {},
    slow: (req, res) => (req.method === "POST" ? trickle(res) : serve(req, res)),
    fails: (_req, res) => res.writeHead(503).end(),
  };
  return (req, res) => {
    const [, first = ""] = (req.url ?? "/").split("/");
    if (!Object.hasOwn(behaviours, first)) return serve(req, res);
    req.url = req.url?.slice(first.length + 1);
    behaviours[first as Behaviour](req, res);
  };
}

/** One byte every 100 ms: never silent, never done. */
function trickle(res: ServerResponse): void {
  res.writeHead(200, { "content-type": "application/x-git-upload-pack-result" });
  const timer = setInterval(() => res.write("0"), 100);
  res.on("close", () => clearInterval(timer));
}

interface Place {
  root: string;
  served: string;
  name: string;
  url: string;
}

async function makeRepository(place: Place, files: Files): Promise<TestRepository> {
  const bare = join(place.served, `${place.name}.git`);
  const work = join(place.root, "work", place.name);
  await mkdir(work, { recursive: true });
  const git = (...argv: string[]): Promise<string> => runGit(work, argv);
  await git("init", "--quiet", "--bare", "--initial-branch=main", bare);
  await git("init", "--quiet", "--initial-branch=main");
  const commit: TestRepository["commit"] = async (changed, { branch = "main" } = {}) => {
    if (branch !== "main") await git("checkout", "--quiet", "-B", branch);
    for (const [path, content] of Object.entries(changed)) await write(join(work, path), content);
    await git("add", "--all");
    await git("commit", "--quiet", "--allow-empty", "--message=change");
    await git("push", "--quiet", "--force", bare, `HEAD:refs/heads/${branch}`);
    const sha = await git("rev-parse", "HEAD");
    if (branch !== "main") await git("checkout", "--quiet", "main");
    return sha;
  };
  await commit(files);
  return {
    name: place.name,
    url: place.url,
    commit,
    git,
    tag: async (name, { annotated = false } = {}) => {
      await git("tag", ...(annotated ? ["--annotate", "--message=tag"] : []), name, "main");
      await git("push", "--quiet", bare, `refs/tags/${name}`);
    },
    setBranch: async (name, object) => {
      await git("push", "--quiet", "--force", bare, `${object}:refs/heads/${name}`);
    },
  };
}

async function write(path: string, content: Files[string]): Promise<void> {
  await mkdir(bytesOf(dirname(path)), { recursive: true });
  if (typeof content === "string" || Buffer.isBuffer(content)) return writeFile(bytesOf(path), content);
  await symlink(bytesOf(content.symlink), bytesOf(path));
}

function bytesOf(path: string): Buffer {
  const parts = path.split(/([\udc80-\udcff])/);
  return Buffer.concat(
    parts.map((part, i) => (i % 2 === 0 ? Buffer.from(part) : Buffer.from([part.charCodeAt(0) & 0xff]))),
  );
}

const run = promisify(execFile);

async function runGit(cwd: string, argv: string[]): Promise<string> {
  const identity = ["AUTHOR", "COMMITTER"].flatMap((who) => [
    [`GIT_${who}_NAME`, "test"],
    [`GIT_${who}_EMAIL`, "test@example.com"],
  ]);
  const env = { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: "1", ...Object.fromEntries(identity) };
  const { stdout } = await run("git", argv, { cwd, env, maxBuffer: 16 * 1024 * 1024 });
  return stdout.trim();
}
