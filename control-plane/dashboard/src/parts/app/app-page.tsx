import type { ComponentType } from "preact";
import type { App, Person } from "../../client/answers.ts";
import { answerOf, api } from "../../client/api.ts";
import { appPath } from "../../client/page-path.ts";
import { loaded } from "../../client/present-page.ts";
import { early } from "../early.ts";
import { type Loaded, Show } from "../loaded.tsx";
import { pathOfTab, type Tab, TABS } from "../../text/places.ts";
import { openPersonalPage } from "../open-page.tsx";
import { useRefreshed } from "../refreshed.tsx";
import "./shared-by-tabs.ts";
import { Trouble, Waiting } from "./standing.tsx";
import { useSignal } from "@preact/signals";
import type { Command } from "../../text/commands.ts";

export interface AppPageProps {
  app: App;
  person: Person;
  /** Reads the app again, after something was done to it. */
  reload: Loaded<App>["reload"];
}

/** Shows a page of one app, which stays up to date, below the app's name and its other pages. */
export async function openAppPage(tab: Tab, Content: ComponentType<AppPageProps>): Promise<void> {
  const { name } = appPath(location.pathname);
  const load = early(async () => {
    return (await answerOf(api.GET("/api/apps/{name}", { params: { path: { name } } }))).app;
  });
  const { text: title } = TABS.find(({ place }) => place === tab)!;
  await openPersonalPage(`${name}: ${title}`, ({ person }) => (
    <>
      <nav aria-label={`Pages of ${name}`}>
        {TABS.map(({ place, text }) => (
          <a key={place} href={pathOfTab(name, place)} {...(place === tab ? { "aria-current": "page" } : {})}>
            {text}
          </a>
        ))}
      </nav>
      <OneApp tab={tab} load={load} person={person} Content={Content} />
      <Commands tab={tab} app={name} />
    </>
  ));
}

interface OneAppProps {
  tab: Tab;
  load: () => Promise<App>;
  person: Person;
  Content: ComponentType<AppPageProps>;
}

function OneApp({ tab, load, person, Content }: OneAppProps) {
  const app = useRefreshed(load);
  return (
    <Show of={app}>
      {(found) => (
        <>
          {/* The overview says it among its own reasons to look. */}
          {tab !== "" && <Trouble app={found} />}
          {found.status === "deploying" && <Waiting app={found} />}
          <Content app={found} person={person} reload={app.reload} />
        </>
      )}
    </Show>
  );
}

/** Shows how the page's actions are done from a terminal; the list is loaded when somebody asks. */
function Commands({ tab, app }: { tab: string; app: string }) {
  const commands = useSignal<readonly Command[]>([]);
  const refusal = useSignal("");
  async function load() {
    refusal.value = "";
    try {
      const { commandsOf } = await loaded(import("../../text/commands.ts"));
      commands.value = commandsOf(tab, app, location.origin);
    } catch {
      refusal.value = "The commands could not be loaded. Load the page again when the service is there.";
    }
  }
  return (
    <details class="commands" onToggle={() => void load()}>
      <summary>The same from a terminal</summary>
      <p>
        The key is one of <a href="/settings/keys">yours</a>, in <code>SVC_API_KEY</code>; <code>svc</code> takes it
        from there, or from <code>svc login {location.origin}</code>.
      </p>
      <p role="alert" class="refusal">
        {refusal.value}
      </p>
      {commands.value.map(({ does, curl, svc }) => (
        <div key={does}>
          <h2>{does}</h2>
          <pre tabIndex={0} aria-label={`${does}, as commands`}>
            {svc === undefined ? curl : `${svc}\n${curl}`}
          </pre>
        </div>
      ))}
    </details>
  );
}
