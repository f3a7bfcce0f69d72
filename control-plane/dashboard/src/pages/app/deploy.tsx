import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Deploy, DeployStep } from "../../client/answers.ts";
import { answerOf, api, done } from "../../client/api.ts";
import { followDeploy } from "../../client/deploy-stream.ts";
import { appPath } from "../../client/page-path.ts";
import { Refusal } from "../../client/refusal.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { Changes, readChanges } from "../../parts/app/changes.tsx";
import { openAppPage, type AppPageProps } from "../../parts/app/app-page.tsx";
import { WhyButton } from "../../parts/chat/why-button.tsx";
import { early } from "../../parts/early.ts";
import { Show, useLoaded } from "../../parts/loaded.tsx";
import { LogView } from "../../parts/log/log-view.tsx";
import { useRefreshed } from "../../parts/refreshed.tsx";
import { Time } from "../../parts/time.tsx";
import { deployFault, hasEnded, shortCommit, statusText, stepTitle } from "../../text/deploy-state.ts";
import { shownDuration } from "../../text/duration.ts";

const { id } = appPath(location.pathname);
const params = { path: { id } };

const load = early(() => answerOf(api.GET("/api/deploys/{id}", { params })));

interface Read {
  deploy: Deploy;
  steps: readonly DeployStep[];
}

function DeployPage({ app, reload }: AppPageProps) {
  const wasRunning = useRef(false);
  const read = useRefreshed<Read>(async () => {
    const found = await load();
    if (found.deploy.app_id !== app.id) throw new Refusal("not_found", `${app.name} has no deploy with this id.`);
    // It may serve from its end on: the app as it was read before would say that another one does.
    if (hasEnded(found.deploy) && wasRunning.current) await reload();
    wasRunning.current = !hasEnded(found.deploy);
    return found;
  });
  async function cancel() {
    await done(api.POST("/api/deploys/{id}/cancel", { params }));
    await Promise.all([read.reload(), reload()]);
  }
  return (
    <Show of={read}>
      {({ deploy, steps }) => (
        <>
          <Outcome app={app} deploy={deploy} />
          <Steps steps={steps} />
          {!hasEnded(deploy) && (
            <ActionButton label="Cancel the deploy" isDangerous warning="What serves goes on." act={cancel} />
          )}
          <Difference app={app} deploy={deploy} />
          <Log deploy={deploy} steps={steps} onChange={() => void read.reload()} />
        </>
      )}
    </Show>
  );
}

function Outcome({ app, deploy }: { app: AppPageProps["app"]; deploy: Deploy }) {
  const fault = deployFault(deploy);
  return (
    <>
      <h2>
        {deploy.release}: {deploy.taken_back === undefined ? statusText(deploy.status) : "taken back"}
      </h2>
      {fault !== undefined && (
        <section class="attention" aria-label="Why it failed">
          <p>{fault}</p>
          {deploy.taken_back !== undefined && deploy.taken_back.last_lines.length > 0 && (
            <pre>{deploy.taken_back.last_lines.join("\n")}</pre>
          )}
          <WhyButton question="why?" />
        </section>
      )}
      <p>
        {deploy.commit_sha !== null && (
          <>
            Commit <code>{shortCommit(deploy.commit_sha)}</code>.{" "}
          </>
        )}
        Asked for <Time at={deploy.created_at} />
        {deploy.deployed_by !== null && ` by ${deploy.deployed_by}`}.
        {deploy.status === "success" && deploy.taken_back === undefined && (
          <>
            {" "}
            <a href={app.url}>Open {app.url}</a>
          </>
        )}
      </p>
    </>
  );
}

/** Says what would change when this release served again. */
function Difference({ app, deploy }: { app: AppPageProps["app"]; deploy: Deploy }) {
  if (app.current_release === null || deploy.status !== "success" || deploy.release === app.current_release)
    return null;
  return <DifferenceTo app={app} release={deploy.release} />;
}

function DifferenceTo({ app, release }: { app: AppPageProps["app"]; release: string }) {
  const changes = useLoaded(() => readChanges(app.name, { to: release }), app.current_release ?? "");
  return (
    <details>
      <summary>What a roll back to {release} would change</summary>
      <Show of={changes}>{(comparison) => <Changes of={comparison} repository={app.git_repo} />}</Show>
    </details>
  );
}

const COLORS: Partial<Record<DeployStep["status"], string>> = { failed: "broken", success: "good" };

function Steps({ steps }: { steps: readonly DeployStep[] }) {
  return (
    <ol class="steps">
      {steps.map((step) => (
        <li key={step.step_name} class={COLORS[step.status] ?? ""}>
          <strong>{stepTitle(step.step_name)}</strong> {statusText(step.status)} <StepTime step={step} />
        </li>
      ))}
    </ol>
  );
}

function StepTime({ step: { status, started_at: from, finished_at: to } }: { step: DeployStep }) {
  if (status === "skipped" || from === null) return null;
  if (status === "running") return <Elapsed since={from} />;
  return to === null ? null : <>in {shownDuration(Date.parse(to) - Date.parse(from))}</>;
}

/** The time since a step began, which goes on each second. A timer is read aloud when somebody asks for it alone. */
function Elapsed({ since }: { since: string }) {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => (now.value = Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time role="timer" dateTime={since} title={since}>
      for {shownDuration(now.value - Date.parse(since))}
    </time>
  );
}

/** The live log of a deploy that runs; of one that ran long ago, what is kept of its steps' output. */
function Log({ deploy, steps, onChange }: Read & { onChange(): void }) {
  const isConnected = useSignal(true);
  const wasRunning = useSignal(!hasEnded(deploy)).value;
  const ended = useRef(false);
  ended.current = hasEnded(deploy);
  return (
    <>
      {wasRunning && !hasEnded(deploy) && !isConnected.value && (
        <p class="refusal" role="status">
          The connection is lost. The log goes on where it stopped when it is back.
        </p>
      )}
      <LogView
        name={`Log of ${deploy.release}`}
        kind="lines"
        open={(sink) => {
          if (!wasRunning) {
            sink.add(steps.flatMap(({ output }) => (output === "" ? [] : output.split("\n"))));
            return () => undefined;
          }
          return followDeploy(id, {
            onLines: (lines) => sink.add(lines),
            onChange,
            onConnection: (isUp) => (isConnected.value = isUp),
            hasEnded: () => ended.current,
          });
        }}
      />
    </>
  );
}

void openAppPage("deploys", DeployPage);
