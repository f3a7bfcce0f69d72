import type { Deploy } from "../../client/answers.ts";
import { answerOf, api, done } from "../../client/api.ts";
import { appPath } from "../../client/page-path.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { openAppPage, type AppPageProps } from "../../parts/app/app-page.tsx";
import { DeployButton } from "../../parts/app/deploy-button.tsx";
import { DeployTable } from "../../parts/app/deploy-table.tsx";
import { early } from "../../parts/early.ts";
import { useRefreshedPages } from "../../parts/lists/paged.ts";
import { ShowMore } from "../../parts/lists/show-more.tsx";
import { Show } from "../../parts/loaded.tsx";
import { useNotice } from "../../parts/notice.tsx";

/** The page is loaded again every few seconds. */
const PAGE_SIZE = 50;

const params = { path: { name: appPath(location.pathname).name } };
const loadFirst = early(() => loadPage(undefined));

async function loadPage(cursor: string | undefined) {
  const query = { limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) };
  const asked = api.GET("/api/apps/{name}/deploys", { params: { ...params, query } });
  const { deploys: rows, next_cursor: next } = await answerOf(asked);
  return { rows, next };
}

function Deploys({ app, reload }: AppPageProps) {
  const { say, notice } = useNotice();
  const deploys = useRefreshedPages((cursor) => (cursor === undefined ? loadFirst() : loadPage(cursor)));

  async function rollBack({ release }: Deploy) {
    await done(api.POST("/api/apps/{name}/rollback", { params, body: { release } }));
    await Promise.all([reload(), deploys.reload()]);
    say(`${app.name} serves ${release} again.`);
  }

  return (
    <>
      {notice}
      <DeployButton app={app} />
      <Show of={deploys}>
        {(all) => (
          <DeployTable
            app={app}
            deploys={all}
            action={(deploy) =>
              deploy.status === "success" &&
              deploy.taken_back === undefined &&
              deploy.release !== app.current_release && (
                <ActionButton
                  label="Roll back"
                  object={`to ${deploy.release}`}
                  warning="Its image and its variables serve again."
                  act={() => rollBack(deploy)}
                />
              )
            }
          />
        )}
      </Show>
      <ShowMore label="Show older deploys" more={deploys.more} />
    </>
  );
}

void openAppPage("deploys", Deploys);
