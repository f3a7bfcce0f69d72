import type { App } from "../client/answers.ts";
import { ask } from "../client/ask.ts";
import { Show, useLoaded } from "../parts/loaded.tsx";
import { openPersonalPage } from "../parts/open-page.tsx";
import { Time } from "../parts/time.tsx";
import { appState } from "../text/app-state.ts";

function Home() {
  const apps = useLoaded(() => ask<{ apps: App[] }>("GET", "/api/apps"));
  return (
    <Show of={apps}>
      {({ apps }) =>
        apps.length === 0 ? (
          <p>
            There are no apps yet. Run <code>svc up</code> in the folder of a project, or read the{" "}
            <a href="/api/docs">reference of the API</a>.
          </p>
        ) : (
          <Apps apps={apps} />
        )
      }
    </Show>
  );
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
                <th scope="row">{app.name}</th>
                <td class={isBroken ? "broken" : ""}>{app.stopped_by?.detail ?? text}</td>
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
