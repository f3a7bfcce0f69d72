import type { ComponentType } from "preact";
import type { App, Person } from "../../client/answers.ts";
import { answerOf, api } from "../../client/api.ts";
import { appPath } from "../../client/page-path.ts";
import { Commands } from "../commands/commands.tsx";
import { early } from "../early.ts";
import { Show } from "../loaded.tsx";
import { pathOfTab, type Tab, TABS } from "../../text/places.ts";
import { openPersonalPage } from "../open-page.tsx";
import { type Loaded, useRefreshed } from "../refreshed.tsx";
import "./shared-by-tabs.ts";
import { Trouble, Waiting } from "./standing.tsx";

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
      <Commands page={tab} of={name} />
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
