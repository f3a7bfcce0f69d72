import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { getCACertificates } from "node:tls";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { isShortSha, refProblem } from "@svc/shared/rules/git-ref.ts";
import type { CheckoutRequest, Git } from "../../ports.ts";
import { together } from "../../platform/together.ts";
import { prepareAccess } from "./access.ts";
import { allowedAddresses } from "./allowed-addresses.ts";
import { gitEnvironment } from "./environment.ts";
import { explainFailure, refNotFound } from "./failure.ts";
import { DEFAULT_GIT_LIMITS, type GitLimits, narrowed, tooLarge, TreeSize, watchFetch } from "./limits.ts";
import { hostOf, parseRepositoryUrl } from "./repository-url.ts";
import { GitFailed, runGit } from "./run-git.ts";

export interface GitOptions {
  /** Checkouts outside it are refused. */
  dataDirectory: string;
  log: Logger;
  limits?: Partial<GitLimits>;
}

/** One checkout under way: its environment, its limits, and where it works. */
interface Job {
  request: CheckoutRequest;
  url: URL;
  env: Readonly<Record<string, string>>;
  /** The environment of processes that talk to the host, and of no other: it leads to the credentials. */
  fetchEnv: Readonly<Record<string, string>>;
  limits: GitLimits;
  signal: AbortSignal;
  /** Ends the job with a reason of its own. */
  abort: (reason: SvcError) => void;
  /** Is for what git needs beside the checkout. */
  scratch: string;
}

/** git as the platform uses it: one commit of a repository that nobody here vouches for, over HTTPS or SSH. */
export function createGit({ dataDirectory, log, limits }: GitOptions): Git {
  let versionCheck: Promise<void> | undefined;
  return {
    checkout: async (request) => {
      versionCheck ??= warnOfOldGit(log);
      await versionCheck.catch((error: unknown) => {
        versionCheck = undefined;
        throw error;
      });
      const url = parseRepositoryUrl(request.repoUrl, request.credentials);
      requireRef(request.ref);
      requireInside(dataDirectory, request.directory);
      const startedAt = performance.now();
      const allLimits = narrowed({ ...DEFAULT_GIT_LIMITS, ...limits }, request.limits);
      const result = await checkout(request, url, allLimits).catch((error: unknown) => {
        log.info({ host: url.host, err: error }, "checkout failed");
        throw error;
      });
      const durationMs = Math.round(performance.now() - startedAt);
      log.info({ host: url.host, commitSha: result.commitSha, durationMs }, "checked out");
      return result;
    },
  };
}

/** The first git that connects to the addresses that it is given (http.curloptResolve). */
const PINNING_VERSION = { major: 2, minor: 37 };

/**
 * An older git looks the host's name up once more by itself. It still checks that the certificate is for that name, so
 * that an answer that leads elsewhere ends in an error.
 */
async function warnOfOldGit(log: Logger): Promise<void> {
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C" };
  const version = await runGit({ argv: ["version"], cwd: "/", env, signal: new AbortController().signal });
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(version)?.map(Number) ?? [];
  const pins = major > PINNING_VERSION.major || (major === PINNING_VERSION.major && minor >= PINNING_VERSION.minor);
  if (!pins)
    log.warn({ version: version.trim() }, "git is older than 2.37 and cannot pin the addresses it connects to");
}

async function checkout(request: CheckoutRequest, url: URL, limits: GitLimits): Promise<{ commitSha: string }> {
  const own = new AbortController();
  const timer = setTimeout(() => own.abort(tooSlow(url, limits)), limits.msMax);
  const signal = AbortSignal.any([request.signal, own.signal]);
  // The folder beside the checkout and named after it, so that one that died is cleared by the next.
  const scratch = `${request.directory}.git-scratch`;
  try {
    await Promise.all([remove(request.directory), remove(scratch)]);
    const [addresses] = await together(
      allowedAddresses(hostOf(url), request.outbound, signal),
      mkdir(request.directory, { recursive: true }),
      mkdir(scratch, { recursive: true, mode: 0o700 }),
    );
    const caFile = join(scratch, "authorities.pem");
    await writeFile(caFile, trustedAuthorities(request.outbound.caPem));
    const access = await prepareAccess({ credentials: request.credentials, url, addresses, scratch });
    const settings = { url, addresses, caFile, home: scratch };
    const env = gitEnvironment(settings);
    const fetchEnv = gitEnvironment({ ...settings, access });
    const abort = (reason: SvcError): void => own.abort(reason);
    return await fetchAndWrite({ request, url, env, fetchEnv, limits, signal, abort, scratch });
  } catch (error) {
    await remove(request.directory);
    if (error instanceof GitFailed) throw explainFailure(error.stderr, { url, ref: request.ref }, error);
    throw error;
  } finally {
    clearTimeout(timer);
    await remove(scratch);
  }
}

async function fetchAndWrite(job: Job): Promise<{ commitSha: string }> {
  const { directory, output } = job.request;
  await git(job, directory, ["init", "--quiet", "--template="]);
  output.progress(`fetching ${job.request.ref ?? "the default branch"} from ${job.url.host}`);
  await fetchRef(job);
  const [commitSha] = await together(commitOf(job, "FETCH_HEAD"), requireFits(job, "FETCH_HEAD"));
  await git(job, directory, ["checkout", "--quiet", "--detach", commitSha]);
  return { commitSha };
}

/** A name is looked for among tags and branches first, so that a branch named like a short SHA is found. */
async function fetchRef(job: Job): Promise<void> {
  const { ref, directory } = job.request;
  try {
    await fetch(job, directory, ["--depth=1"], [ref ?? "HEAD"]);
  } catch (error) {
    const isMissing = error instanceof GitFailed && /couldn't find remote ref/i.test(error.stderr);
    if (!isMissing || ref === undefined || !isShortSha(ref)) throw error;
    job.request.output.progress(`looking for a commit that starts with ${ref}`);
    await fetch(job, directory, ["--depth=1"], [await fullSha(job, ref)]);
  }
}

/** Asks for the commits alone of all branches and tags: hosts that cannot leave out the files send them too. */
async function fullSha(job: Job, shortSha: string): Promise<string> {
  const bare = join(job.scratch, "commits.git");
  await git(job, job.scratch, ["init", "--quiet", "--bare", "--template=", bare]);
  await fetch(job, bare, ["--filter=tree:0"], ["refs/heads/*:refs/heads/*", "refs/tags/*:refs/tags/*"]);
  return commitOf({ ...job, request: { ...job.request, directory: bare } }, shortSha);
}

/** The commit that a name leads to, also through an annotated tag. @throws SvcError ref_not_found */
async function commitOf(job: Job, name: string): Promise<string> {
  const argv = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  try {
    return (await git(job, job.request.directory, argv)).trim();
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    throw new SvcError("ref_not_found", refNotFound({ url: job.url, ref: job.request.ref }), { cause: error });
  }
}

async function fetch(
  job: Job,
  directory: string,
  options: readonly string[],
  refspecs: readonly string[],
): Promise<void> {
  let lastSign = performance.now();
  const stopWatch = watchFetch({
    directory: directory.endsWith(".git") ? directory : join(directory, ".git"),
    limits: job.limits,
    lastSign: () => lastSign,
    host: job.url.host,
    abort: job.abort,
  });
  // A `+` of ours keeps one at the start of a branch's name from being read as one.
  const sources = refspecs.map((refspec) => `+${refspec}`);
  const flags = ["--progress", "--no-tags", "--no-recurse-submodules", "--no-auto-gc", ...options];
  try {
    await runGit({
      argv: ["fetch", ...flags, "--", job.url.href, ...sources],
      cwd: directory,
      env: job.fetchEnv,
      signal: job.signal,
      onStderr: () => (lastSign = performance.now()),
    });
  } finally {
    stopWatch();
  }
}

async function requireFits(job: Job, name: string): Promise<void> {
  const size = new TreeSize(job.limits);
  await runGit({
    argv: ["ls-tree", "-r", "-z", "--long", "--full-tree", name],
    cwd: job.request.directory,
    env: job.env,
    signal: job.signal,
    onStdout: (chunk) => {
      if (!size.add(chunk)) job.abort(tooLarge(job.limits));
    },
  });
}

function git(job: Job, cwd: string, argv: readonly string[]): Promise<string> {
  return runGit({ argv, cwd, env: job.env, signal: job.signal });
}

function requireRef(ref: string | undefined): void {
  const problem = ref === undefined ? undefined : refProblem(ref);
  if (problem === undefined) return;
  const shown = JSON.stringify(ref!.slice(0, 100));
  throw new SvcError("invalid_request", `${shown} cannot be a branch, tag or commit: it ${problem}.`);
}

/** The checkout's folder is removed first, so it must be one of ours. */
function requireInside(dataDirectory: string, directory: string): void {
  if (resolve(directory).startsWith(resolve(dataDirectory) + sep)) return;
  throw new SvcError("internal", "Something went wrong on our side.", {
    cause: new Error("checkout outside of the data directory"),
  });
}

function tooSlow(url: URL, { msMax }: GitLimits): SvcError {
  return new SvcError(
    "repository_unreachable",
    `The repository ${url.href} could not be fetched within ${Math.ceil(msMax / 60_000)} minutes. ` +
      "Try again later, or make it smaller.",
  );
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Every certificate authority that git may trust, as one PEM text: those of the system, those that this process was
 * given (NODE_EXTRA_CA_CERTS), those of the policy.
 */
function trustedAuthorities(policyPem: string): string {
  const system = getCACertificates("system");
  const base = system.length > 0 ? system : getCACertificates("bundled");
  return [...new Set([...base, ...getCACertificates("extra"), policyPem])].filter(Boolean).join("\n");
}
