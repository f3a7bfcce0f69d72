import type { Deploy } from "../../client/answers.ts";
import { answerOf, api, done } from "../../client/api.ts";
import { appPath } from "../../client/page-path.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { openAppPage, type AppPageProps } from "../../parts/app/app-page.tsx";
import { DeployButton } from "../../parts/app/deploy-button.tsx";
import { DeployTable } from "../../parts/app/deploy-table.tsx";
import { early } from "../../parts/early.ts";
import { Show } from "../../parts/loaded.tsx";
import { useNotice } from "../../parts/notice.tsx";
import { useRefreshed } from "../../parts/refreshed.tsx";

const DEPLOYS_MAX = 100;

const params = { path: { name: appPath(location.pathname).name } };
const load = early(async () => {
  const query = { limit: DEPLOYS_MAX };
  return (await answerOf(api.GET("/api/apps/{name}/deploys", { params: { ...params, query } }))).deploys;
});

function Deploys({ app, reload }: AppPageProps) {
  const { say, notice } = useNotice();
  const deploys = useRefreshed(load);

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
          <>
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
            {all.length === DEPLOYS_MAX && <p class="hint">These are the last {DEPLOYS_MAX}.</p>}
          </>
        )}
      </Show>
    </>
  );
}

void openAppPage("deploys", Deploys);
