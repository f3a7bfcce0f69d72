import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { App, Metrics } from "../../client/answers.ts";
import { answerOf, api } from "../../client/api.ts";
import { appPath } from "../../client/page-path.ts";
import { openAppPage, type AppPageProps } from "../../parts/app/app-page.tsx";
import { Choice } from "../../parts/choice.tsx";
import { early } from "../../parts/early.ts";
import { Show } from "../../parts/loaded.tsx";
import type { ChartData } from "../../parts/metrics/draw-chart.ts";
import { MetricChart } from "../../parts/metrics/metric-chart.tsx";
import { useRefreshed } from "../../parts/refreshed.tsx";
import { Time } from "../../parts/time.tsx";
import { statusText } from "../../text/deploy-state.ts";
import { factsOf, sumOf } from "../../text/metrics/facts.ts";

const RANGES = [
  { value: "hour", text: "1 hour", query: {}, words: "this hour" },
  { value: "day", text: "24 hours", query: { since: "1d" }, words: "these 24 hours" },
  { value: "month", text: "30 days", query: { since: "30d" }, words: "these 30 days" },
] as const;

type Range = (typeof RANGES)[number];

/** As often as an agent tells of a window. */
const EVERY_MS = 10_000;

const { name } = appPath(location.pathname);
const loadFirst = early(() => loadRange(RANGES[0]));

function AppMetrics({ app }: AppPageProps) {
  const chosen = useSignal<Range["value"]>("hour");
  const range = RANGES.find(({ value }) => value === chosen.value)!;
  return (
    <>
      <Choice
        label="How much time"
        options={RANGES}
        value={chosen.value}
        onChoose={(value) => (chosen.value = value)}
      />
      <Away app={app} />
      <OneRange key={range.value} range={range} />
    </>
  );
}

function Away({ app: { health } }: { app: App }) {
  if (health.reason !== "server_away") return null;
  return <p role="status">What the server counts meanwhile is shown when it is back, the last hour of it.</p>;
}

function OneRange({ range }: { range: Range }) {
  const metrics = useRefreshed(range === RANGES[0] ? loadFirst : () => loadRange(range), EVERY_MS);
  return <Show of={metrics}>{(found) => <Charts metrics={found} range={range} />}</Show>;
}

/** Names durations: the service's own clock says what the last hour and the last day are. */
function loadRange({ query }: Range): Promise<Metrics> {
  return answerOf(api.GET("/api/apps/{name}/metrics", { params: { path: { name }, query } }));
}

function Charts({ metrics, range }: { metrics: Metrics; range: Range }) {
  const { since, step, series, deploys } = metrics;
  const shown = useMemo(() => {
    const first = Date.parse(since) / 1000;
    return {
      times: series.requests.map((_, place) => first + place * step),
      facts: factsOf(metrics),
      marks: deploys.map(markOf),
    };
  }, [metrics]);
  const requests = sumOf(series.requests);
  return (
    <>
      {requests === null && (
        <p>Nothing was counted in {range.words}: the app did not run, or its server told nothing.</p>
      )}
      {requests === 0 && <p>There was no request in {range.words}.</p>}
      {shown.facts.map((fact) => (
        <MetricChart key={fact.title} fact={fact} times={shown.times} marks={shown.marks} />
      ))}
      <Deploys metrics={metrics} range={range} />
    </>
  );
}

/** The line of a deploy on the charts; a deploy that did not succeed says so, and one that failed is a fault. */
function markOf({ release, status, finished_at: at }: Metrics["deploys"][number]): ChartData["marks"][number] {
  const seconds = Date.parse(at) / 1000;
  const text = status === "success" ? release : `${release} ${statusText(status)}`;
  return { seconds, text, look: status === "failed" ? "bad" : "quiet" };
}

function Deploys({ metrics: { app, deploys }, range }: { metrics: Metrics; range: Range }) {
  if (deploys.length === 0) return null;
  return (
    <section aria-labelledby="marked">
      <h2 id="marked">Deploys in {range.words}</h2>
      <ul>
        {deploys.map(({ id, release, status, finished_at: at }) => (
          <li key={id}>
            <a href={`/apps/${encodeURIComponent(app)}/deploys/${id}`}>{release}</a>:{" "}
            <span class={status === "failed" ? "broken" : ""}>{statusText(status)}</span>, <Time at={at} />
          </li>
        ))}
      </ul>
    </section>
  );
}

void openAppPage("metrics", AppMetrics);
