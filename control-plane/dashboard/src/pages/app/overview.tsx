import type { App, Comparison, Deploy } from "../../client/answers.ts";
import { answerOf, api, done } from "../../client/api.ts";
import { appPath } from "../../client/page-path.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { type AppPageProps, openAppPage } from "../../parts/app/app-page.tsx";
import { hasChanges, readChanges } from "../../parts/app/changes.tsx";
import { DeployButton } from "../../parts/app/deploy-button.tsx";
import { DeployTable } from "../../parts/app/deploy-table.tsx";
import { WhyButton } from "../../parts/chat/why-button.tsx";
import { early } from "../../parts/early.ts";
import { Since } from "../../parts/app/standing.tsx";
import { Facts } from "../../parts/lists/facts.tsx";
import { Show, useLoaded } from "../../parts/loaded.tsx";
import { useNotice } from "../../parts/notice.tsx";
import { useRefreshed } from "../../parts/refreshed.tsx";
import { Time } from "../../parts/time.tsx";
import { appLook, appState, isStopped, stateSentence } from "../../text/app-state.ts";
import { deployFault, shortCommit } from "../../text/deploy-state.ts";
import { type Look, sumOf } from "../../text/metrics/facts.ts";
import { pathOfTab } from "../../text/places.ts";

const DEPLOYS_SHOWN = 5;
/** The app, which is asked for more often, tells when a deploy begins or ends; one that waits its turn is seen after this. */
const DEPLOYS_EVERY_MS = 8_000;

const { name } = appPath(location.pathname);
const loadDeploys = early(async () => {
  const params = { path: { name }, query: { limit: DEPLOYS_SHOWN } };
  return (await answerOf(api.GET("/api/apps/{name}/deploys", { params }))).deploys;
});
const loadChanges = early(() => readChanges(name));
const loadMetrics = early(() => {
  const params = { path: { name }, query: { step: 60 as const } };
  return answerOf(api.GET("/api/apps/{name}/metrics", { params }));
});

function Overview({ app, reload }: AppPageProps) {
  const deploys = useRefreshed(loadDeploys, DEPLOYS_EVERY_MS, `${app.status} ${app.updated_at}`);
  const changes = useLoaded(loadChanges, `${app.current_release} ${app.updated_at}`);
  return (
    <>
      <Attention app={app} last={deploys.value?.[0]} />
      <AppFacts app={app} changes={changes.value} deploys={deploys.value ?? []} />
      <Actions app={app} reload={reload} />
      <LastHour />
      <section aria-labelledby="deploys">
        <h2 id="deploys">Last deploys</h2>
        <Show of={deploys}>{(last) => <DeployTable app={app} deploys={last} />}</Show>
        <a href={pathOfTab(app.name, "deploys")}>All deploys</a>
      </section>
    </>
  );
}

/** The reasons why somebody should look at the app, if there are any. */
function Attention({ app, last }: { app: App; last: Deploy | undefined }) {
  const { isBroken } = appState(app);
  const fault = last && deployFault(last);
  if (!isBroken && fault === undefined) return null;
  return (
    <section class="attention" aria-label="Needs attention">
      {isBroken && <AppFault app={app} />}
      {fault !== undefined && <DeployFault app={app} deploy={last!} fault={fault} />}
    </section>
  );
}

function AppFault({ app }: { app: App }) {
  if (app.stopped_by) return <p>{app.stopped_by.detail}</p>;
  // The deploy that failed tells why.
  if (app.status === "failed") return <p>{stateSentence(app)}.</p>;
  return (
    <>
      <p>
        {stateSentence(app)}
        <Since app={app} />. <a href={pathOfTab(app.name, "logs")}>Its log</a> says more.
      </p>
      <div class="row">
        <WhyButton question="why is it unhealthy?" />
      </div>
    </>
  );
}

function DeployFault({ app, deploy, fault }: { app: App; deploy: Deploy; fault: string }) {
  const { id, release, finished_at: endedAt, taken_back: takenBack } = deploy;
  const isServing = app.status === "running" && !appState(app).isBroken;
  return (
    <>
      <p>
        <strong>
          {release}: {takenBack === undefined ? "failed" : "taken back"} <Time at={takenBack?.at ?? endedAt} />
          {isServing && takenBack === undefined && `; ${app.current_release} stays live`}.
        </strong>{" "}
        {fault}
      </p>
      <div class="row">
        <a href={`${pathOfTab(app.name, "deploys")}/${id}`}>See the deploy</a>
        <WhyButton question="why did the last deploy fail?" />
      </div>
    </>
  );
}

interface AppFactsProps {
  app: App;
  changes: Comparison | undefined;
  /** The last ones, newest first. */
  deploys: readonly Deploy[];
}

function AppFacts({ app, changes, deploys }: AppFactsProps) {
  // Another release may serve since they were compared.
  const serving = changes?.from?.release === app.current_release ? changes?.from : undefined;
  const left = rolledBack(app, deploys);
  const isSetTo = (key: "framework" | "port") => serving && app[key] !== null && app[key] !== serving[key];
  const settings = (["framework", "port"] as const).filter(isSetTo).map((key) => `${key} ${app[key]}`);
  const isOtherEnv = changes !== undefined && app.current_release !== null && hasChanges(changes);
  return (
    <Facts
      of={{
        State: (
          <span class={appLook(app)}>
            {appState(app).text}
            <Since app={app} />
          </span>
        ),
        Address: <a href={app.url}>{app.url}</a>,
        [isStopped(app) ? "Release" : "Serves"]: (
          <>
            {app.current_release ?? "nothing yet"}
            {left !== undefined && ` since ${left} was rolled back,`}
            {serving && (
              <>
                {" "}
                from commit <code>{shortCommit(serving.commit_sha)}</code>, deployed <Time at={serving.deployed_at} />
                {serving.deployed_by !== null && ` by ${serving.deployed_by}`}
              </>
            )}
          </>
        ),
        "Next deploy":
          isOtherEnv || settings.length > 0 ? (
            <>
              takes the repository's newest commit
              {settings.length > 0 && `, as ${settings.join(" and ")}`}
              {isOtherEnv && (
                <>
                  , and changes <a href={pathOfTab(app.name, "env")}>variables</a>
                </>
              )}
            </>
          ) : null,
        Framework: serving?.framework ?? app.framework,
        Port: serving?.port ?? app.port,
        Repository: app.git_repo,
        Folder: app.root,
        Database: app.database_name,
        Server: app.server,
      }}
    />
  );
}

/**
 * The newer release that a rollback has left, as far as the last deploys tell. While one runs, they may have been read later
 * than the app.
 */
function rolledBack({ status, current_release: current }: App, deploys: readonly Deploy[]): string | undefined {
  const built = deploys.filter((deploy) => deploy.status === "success").map(({ release }) => release);
  if (status === "deploying" || current === null) return undefined;
  return built.indexOf(current) > 0 ? built[0] : undefined;
}

/** Together with the others, as a multiple of their pace: an answer that follows another costs the service a third. */
const METRICS_EVERY_MS = 12_000;

function LastHour() {
  const metrics = useRefreshed(loadMetrics, METRICS_EVERY_MS);
  return (
    <section aria-labelledby="last-hour">
      <h2 id="last-hour">Last hour</h2>
      <Show of={metrics}>
        {({ series }) => (
          <div class="row small-charts">
            <SmallChart title="Requests" look="main" values={series.requests} />
            <SmallChart title="Errors" look="bad" values={series.errors} />
          </div>
        )}
      </Show>
      <a href={pathOfTab(name, "metrics")}>All metrics</a>
    </section>
  );
}

function Actions({ app, reload }: Pick<AppPageProps, "app" | "reload">) {
  const { say, notice } = useNotice();
  const act = (action: "start" | "stop" | "restart", sentence: string) => async () => {
    await done(api.POST("/api/apps/{name}/action", { params: { path: { name: app.name } }, body: { action } }));
    await reload();
    say(sentence);
  };
  return (
    <>
      {notice}
      <div class="row">
        <DeployButton app={app} />
        {isStopped(app) ? (
          <ActionButton label="Start" act={act("start", `${app.name} was started.`)} />
        ) : (
          <>
            <ActionButton label="Restart" act={act("restart", `${app.name} was restarted.`)} />
            <ActionButton
              label="Stop"
              isDangerous
              warning="It serves nobody until it is started."
              act={act("stop", `${app.name} was stopped.`)}
            />
          </>
        )}
      </div>
    </>
  );
}

const WIDTH = 300;
const HEIGHT = 40;

interface SmallChartProps {
  /** Such as `Requests`. */
  title: string;
  look: Look;
  values: readonly (number | null)[];
}

/** Counts of the last hour as bars, with their sum; what is not known leaves a gap. */
function SmallChart({ title, look, values }: SmallChartProps) {
  const total = sumOf(values);
  const most = values.reduce<number>((a, b) => Math.max(a, b ?? 0), 1);
  const width = WIDTH / Math.max(1, values.length);
  const bars = values.map((value, place) => {
    const height = ((value ?? 0) / most) * HEIGHT;
    return value === null || value === 0 ? "" : `M${place * width} ${HEIGHT}v${-height}h${width * 0.8}v${height}z`;
  });
  return (
    <figure>
      <figcaption>
        {title} in the last hour: <strong>{total ?? "not known"}</strong>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true" class={`bars-${look}`}>
        <path d={bars.join("")} />
      </svg>
    </figure>
  );
}

void openAppPage("", Overview);
