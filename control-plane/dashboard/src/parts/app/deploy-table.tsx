import type { ComponentChildren } from "preact";
import type { App, Deploy } from "../../client/answers.ts";
import { hasEnded, isBroken, shortCommit, statusText } from "../../text/deploy-state.ts";
import { shownDuration } from "../../text/duration.ts";
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
    <div class="wide" tabIndex={0} role="region" aria-label="Table of deploys">
      <table>
        <thead>
          <tr>
            <th scope="col">Release</th>
            <th scope="col">State</th>
            <th scope="col">Commit</th>
            <th scope="col">Asked for</th>
            <th scope="col">Took</th>
            {action !== undefined && <th scope="col">Action</th>}
          </tr>
        </thead>
        <tbody>
          {deploys.map((deploy) => (
            <tr key={deploy.id}>
              <th scope="row">
                <a href={`/apps/${encodeURIComponent(app.name)}/deploys/${deploy.id}`}>{deploy.release}</a>
                {deploy.release === app.current_release && " (serves)"}
              </th>
              <td class={isBroken(deploy) ? "broken" : deploy.status === "success" ? "good" : ""}>
                {deploy.taken_back === undefined ? statusText(deploy.status) : "taken back"}
              </td>
              <td>
                <code>{shortCommit(deploy.commit_sha)}</code> {refBeside(deploy)}
              </td>
              <td>
                <Time at={deploy.created_at} />
              </td>
              <td class="short">{tookText(deploy)}</td>
              {action !== undefined && <td>{action(deploy)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
