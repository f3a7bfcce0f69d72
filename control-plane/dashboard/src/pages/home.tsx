import type { App } from "../client/answers.ts";
import { answerOf, api } from "../client/api.ts";
import { early } from "../parts/early.ts";
import { Found } from "../parts/lists/found.tsx";
import { Show } from "../parts/loaded.tsx";
import { openPersonalPage } from "../parts/open-page.tsx";
import { useRefreshed } from "../parts/refreshed.tsx";
import { Time } from "../parts/time.tsx";
import { appState } from "../text/app-state.ts";

const load = early(async () => (await answerOf(api.GET("/api/apps"))).apps);

function Home() {
  const apps = useRefreshed(load);
  return (
    <>
      <p>
        <a class="button" href="/new">
          New app
        </a>
      </p>
      <Show of={apps}>
        {(all) =>
          all.length === 0 ? (
            <p>
              There are no apps yet. Make one here, or run <code>svc up</code> in the folder of a project. All that
              these pages do is in the <a href="/api/docs">API</a> too.
            </p>
          ) : (
            <Found all={all.toSorted(brokenFirst)} nameOf={({ name }) => name}>
              {(found) => <Apps apps={found} />}
            </Found>
          )
        }
      </Show>
    </>
  );
}

/** Apps that somebody should look at are on top; the rest stands by name. */
function brokenFirst(a: App, b: App): number {
  return Number(appState(b).isBroken) - Number(appState(a).isBroken) || a.name.localeCompare(b.name);
}

function Apps({ apps }: { apps: readonly App[] }) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Apps">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">State</th>
            <th scope="col">Address</th>
            <th scope="col">Last deploy</th>
          </tr>
        </thead>
        <tbody>
          {apps.map((app) => {
            const { text, isBroken } = appState(app);
            return (
              <tr key={app.id}>
                <th scope="row">
                  <a href={`/apps/${encodeURIComponent(app.name)}`}>{app.name}</a>
                </th>
                <td class={isBroken ? "broken" : app.status === "running" && app.health.reason === null ? "good" : ""}>
                  {app.stopped_by?.detail ?? text}
                </td>
                <td>
                  <a href={app.url}>{app.url}</a>
                </td>
                <td>
                  <Time at={app.last_deployed_at} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

void openPersonalPage("Apps", Home);
