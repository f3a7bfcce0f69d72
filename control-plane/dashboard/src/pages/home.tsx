import type { App } from "../client/answers.ts";
import { answerOf, api } from "../client/api.ts";
import { Commands } from "../parts/commands/commands.tsx";
import { early } from "../parts/early.ts";
import { Found } from "../parts/lists/found.tsx";
import { Table } from "../parts/lists/table.tsx";
import { Show } from "../parts/loaded.tsx";
import { openPersonalPage } from "../parts/open-page.tsx";
import { useRefreshed } from "../parts/refreshed.tsx";
import { Time } from "../parts/time.tsx";
import { appLook, appState } from "../text/app-state.ts";
import { isBroken, statusText } from "../text/deploy-state.ts";

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
      <Commands page="apps" />
    </>
  );
}

/** Apps that somebody should look at are on top; the rest stands by name. */
function brokenFirst(a: App, b: App): number {
  return Number(appState(b).isBroken) - Number(appState(a).isBroken) || a.name.localeCompare(b.name);
}

function Apps({ apps }: { apps: readonly App[] }) {
  return (
    <Table
      label="Apps"
      rows={apps}
      keyOf={({ id }) => id}
      columns={{
        Name: ({ name }) => <a href={`/apps/${encodeURIComponent(name)}`}>{name}</a>,
        State: (app) => <span class={appLook(app)}>{app.stopped_by?.detail ?? appState(app).text}</span>,
        Address: ({ url }) => <a href={url}>{url}</a>,
        "Last deploy": ({ last_deploy: last }) =>
          last === null ? null : (
            <span class={isBroken(last) ? "broken" : ""}>
              {last.status !== "success" && `${last.release} ${statusText(last.status)} `}
              {last.taken_back && `${last.release} taken back, live `}
              <Time at={last.finished_at} />
            </span>
          ),
      }}
    />
  );
}

void openPersonalPage("Apps", Home);
