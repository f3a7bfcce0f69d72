import type { App } from "../../client/answers.ts";
import { answerOf, api } from "../../client/api.ts";
import { appState, stateSentence } from "../../text/app-state.ts";
import { pathOfTab } from "../../text/places.ts";
import { useRefreshed } from "../refreshed.tsx";
import { Time } from "../time.tsx";

/** Says what is wrong with an app now; nothing when all is well. */
export function Trouble({ app }: { app: App }) {
  const { isBroken } = appState(app);
  const isAway = app.health.reason === "server_away";
  if (!isBroken && !isAway) return null;
  return (
    <p role="status" class="broken">
      {app.stopped_by !== null ? (
        app.stopped_by.detail
      ) : (
        <>
          {isAway ? "The app's server can't be reached" : stateSentence(app)}
          <Since app={app} />.
        </>
      )}
    </p>
  );
}

/** Since when an app is as it is, as far as somebody observes it. A restart that goes well leaves it healthy. */
export function Since({ app: { status, health } }: { app: App }) {
  if (health.since === null || (status !== "running" && health.reason === null)) return null;
  return (
    <>
      {health.state === "healthy" ? ", healthy" : ""} since <Time at={health.since} />
    </>
  );
}

/** Says that a deploy of the app waits, since when, and what for. The list of deploys does not have it yet. */
export function Waiting({ app: { name } }: { app: App }) {
  const read = useRefreshed(async () => {
    return (await answerOf(api.GET("/api/apps/{name}/deploys/waiting", { params: { path: { name } } }))).waiting;
  });
  if (!read.value) return null;
  const { deploy_id: id, release, since, waits_for, detail } = read.value;
  return (
    <p role="status" class={waits_for === "deploy_ahead" || waits_for === "next" ? "" : "broken"}>
      The deploy <a href={`${pathOfTab(name, "deploys")}/${id}`}>{release}</a> waits since <Time at={since} />. {detail}
    </p>
  );
}
