import type { ComponentChildren } from "preact";
import type { App, Deploy } from "../../client/answers.ts";
import { isStopped } from "../../text/app-state.ts";
import { hasEnded, isBroken, shortCommit, statusText } from "../../text/deploy-state.ts";
import { shownDuration } from "../../text/duration.ts";
import { Table } from "../lists/table.tsx";
import { Time } from "../time.tsx";

interface DeployTableProps {
  app: App;
  deploys: readonly Deploy[];
  /** The button of a deploy's row; without it there is no such column. */
  action?(deploy: Deploy): ComponentChildren;
}

/** Lists deploys; each leads to its page. */
export function DeployTable({ app, deploys, action }: DeployTableProps) {
  if (deploys.length === 0) return <p>Nothing was deployed yet.</p>;
  return (
    <Table
      label="Table of deploys"
      rows={deploys}
      keyOf={({ id }) => id}
      columns={{
        Release: ({ id, release }) => (
          <>
            <a href={`/apps/${encodeURIComponent(app.name)}/deploys/${id}`}>{release}</a>
            {release === app.current_release && (isStopped(app) ? " (live when it is started)" : " (serves)")}
          </>
        ),
        State: (deploy) => (
          <span class={isBroken(deploy) ? "broken" : deploy.status === "success" ? "good" : ""}>
            {deploy.taken_back === undefined ? statusText(deploy.status) : "taken back"}
          </span>
        ),
        Commit: (deploy) => (
          <>
            <code>{shortCommit(deploy.commit_sha)}</code> {refBeside(deploy)}
          </>
        ),
        "Asked for": ({ created_at }) => <Time at={created_at} />,
        By: ({ deployed_by }) => deployed_by,
        Took: (deploy) => <span class="short">{tookText(deploy)}</span>,
        ...(action !== undefined && { Action: action }),
      }}
    />
  );
}

/** The name that was deployed, where it says more than the commit: a push names the commit itself. */
function refBeside({ ref, commit_sha: commit }: Deploy): string | null {
  return ref !== null && ref === commit ? null : ref;
}

function tookText(deploy: Deploy): string {
  const { started_at: from, finished_at: to } = deploy;
  if (from === null || to === null) return hasEnded(deploy) ? "" : "…";
  return shownDuration(Date.parse(to) - Date.parse(from));
}
