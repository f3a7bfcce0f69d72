import { wrongUse } from "../output/cli-error.ts";
import { askGit } from "./git.ts";
import { httpsUrlOf } from "./remote-url.ts";

/** The source of a deploy from a remote. */
export interface RemoteSource {
  url: string;
  /** The current branch, or the full SHA when none is checked out. */
  ref: string;
  /** Notes for the user, a sentence each: what is here and not there. */
  notes: string[];
}

/**
 * The `origin` of the folder's repository; undefined when there is none.
 * @throws CliError wrong_use for a remote that the service can't clone
 */
export async function readRemoteSource(dir: string, serviceUrl: string): Promise<RemoteSource | undefined> {
  const remote = await askGit(["remote", "get-url", "origin"], dir);
  if (remote === undefined) return undefined;
  const url = httpsUrlOf(remote, serviceUrl);
  if (url === undefined) {
    throw wrongUse(
      "The remote `origin` has no https address to clone from: `svc up --local` pushes the folder itself.",
    );
  }
  const head = await askGit(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], dir);
  if (head === undefined) {
    throw wrongUse("The repository has no commit yet: commit and push, or use `svc up --local`.");
  }
  const branch = await askGit(["symbolic-ref", "--quiet", "--short", "HEAD"], dir);
  return { url, ref: branch ?? head, notes: await differences(dir, branch, head) };
}

async function differences(dir: string, branch: string | undefined, head: string): Promise<string[]> {
  const notes: string[] = [];
  if ((await askGit(["rev-parse", "--show-prefix"], dir)) !== undefined) {
    notes.push(
      "This folder is inside of a repository whose root is what is deployed; --local deploys the folder alone.",
    );
  }
  const missing = await unpushed(dir, branch, head);
  if (missing !== undefined) notes.push(missing);
  if ((await askGit(["status", "--porcelain", "--untracked-files=normal", "--", "."], dir)) !== undefined) {
    notes.push("Some files here are not committed, so they are not deployed; --local deploys the folder as it is.");
  }
  return notes;
}

async function unpushed(dir: string, branch: string | undefined, head: string): Promise<string | undefined> {
  const short = head.slice(0, 7);
  if (branch === undefined) {
    const holders = await askGit(["branch", "--remotes", "--contains", head], dir);
    return holders === undefined ? `The commit ${short} is not known to be pushed: push it first.` : undefined;
  }
  const tracked = await askGit(["rev-parse", "--verify", "--quiet", `refs/remotes/origin/${branch}`], dir);
  if (tracked === undefined)
    return `The branch ${branch} is not known to be pushed: \`git push origin ${branch}\` first.`;
  if (tracked === head) return undefined;
  const ahead = await askGit(["rev-list", "--count", `${tracked}..${head}`], dir);
  if (ahead === "0" || ahead === undefined) return undefined;
  return `The commit ${short} is not pushed (${ahead} ahead of origin/${branch}): what is deployed is ${tracked.slice(0, 7)}.`;
}
