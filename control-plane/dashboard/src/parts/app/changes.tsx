import type { Comparison } from "../../client/answers.ts";
import { answerOf, api } from "../../client/api.ts";
import { shortCommit } from "../../text/deploy-state.ts";
import { Facts } from "../lists/facts.tsx";

/** Reads what differs between two releases; without them, between what serves and the next deploy. @throws Refusal */
export function readChanges(name: string, query: { from?: string; to?: string } = {}): Promise<Comparison> {
  return answerOf(api.GET("/api/apps/{name}/changes", { params: { path: { name }, query } }));
}

/** Whether any variable differs. */
export function hasChanges({ env: { added, removed, changed } }: Comparison): boolean {
  return added.length + removed.length + changed.length > 0;
}

interface ChangesProps {
  of: Comparison;
  /** The app's repository, for a link to what its commits changed. */
  repository?: string | null;
}

/** Says what differs: commits, port and framework of two releases, and variables by their names. */
export function Changes({ of: comparison, repository = null }: ChangesProps) {
  const { from, to, env } = comparison;
  const facts = {
    ...(from && to && from.commit_sha !== to.commit_sha
      ? { Commit: <Commits from={from.commit_sha} to={to.commit_sha} repository={repository} /> }
      : {}),
    ...(from && to && from.image_digest !== to.image_digest ? { Image: "another one" } : {}),
    ...(from && to && from.framework !== to.framework ? { Framework: `${from.framework} → ${to.framework}` } : {}),
    ...(from && to && from.port !== to.port ? { Port: `${from.port} → ${to.port}` } : {}),
    ...(env.added.length > 0 ? { "Variables added": env.added.join(", ") } : {}),
    ...(env.changed.length > 0 ? { "Variables changed": env.changed.join(", ") } : {}),
    ...(env.removed.length > 0 ? { "Variables removed": env.removed.join(", ") } : {}),
  };
  if (Object.keys(facts).length > 0) return <Facts of={facts} />;
  return <p>{to === null ? "No variable was changed since the release that serves." : "Nothing differs."}</p>;
}

function Commits({ from, to, repository }: { from: string; to: string; repository: string | null }) {
  const text = (
    <>
      <code>{shortCommit(from)}</code> → <code>{shortCommit(to)}</code>
    </>
  );
  // This host has a stable address for it.
  const own = /^https:\/\/github\.com\/[\w.-]+\/[\w.-]+?(?=\.git$|$)/.exec(repository ?? "")?.[0];
  return own === undefined ? text : <a href={`${own}/compare/${from}...${to}`}>{text}</a>;
}
