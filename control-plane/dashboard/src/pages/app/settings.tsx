import { FRAMEWORK_NAMES, isFrameworkName } from "@svc/shared/rules/frameworks.ts";
import { useSignal } from "@preact/signals";
import { answerOf, api, done } from "../../client/api.ts";
import { type AppPageProps, openAppPage } from "../../parts/app/app-page.tsx";
import { Since } from "../../parts/app/standing.tsx";
import { DangerousForm } from "../../parts/dangerous-form.tsx";
import { early } from "../../parts/early.ts";
import { Form, textOf } from "../../parts/form.tsx";
import { useNotice } from "../../parts/notice.tsx";
import { SelectField } from "../../parts/select-field.tsx";
import type { App } from "../../client/answers.ts";
import { Show, useLoaded } from "../../parts/loaded.tsx";
import { ActionButton } from "../../parts/action-button.tsx";
import { Secret } from "../../parts/copy/secret.tsx";
import { appLook, stateSentence } from "../../text/app-state.ts";

const loadTeams = early(async () => (await answerOf(api.GET("/api/teams"))).teams);

function Settings({ app, reload }: AppPageProps) {
  return (
    <>
      <Source app={app} reload={reload} />
      <Health app={app} />
      {isHosted(app) ? <HostedRepository app={app} reload={reload} /> : <DeployKey app={app} reload={reload} />}
      <HandOver app={app} />
      <Removal app={app} reload={reload} />
    </>
  );
}

const EMPTY_CAP = "Empty for what the spec file says, else all that the team's tier allows.";

/** The value of the choice that names no framework. */
const RECOGNISED = "";

function Source({ app, reload }: Pick<AppPageProps, "app" | "reload">) {
  const { say, notice } = useNotice();
  /** Counts what was saved: the form is made anew then, and keeps what is being entered while the app is read again. */
  const saved = useSignal(0);
  async function save(values: FormData) {
    const [port, framework, root] = [textOf(values, "port"), textOf(values, "framework"), textOf(values, "root")];
    const [memory, cpus] = [textOf(values, "memory").trim(), textOf(values, "cpus").trim()];
    const body = {
      ...(textOf(values, "repo_url") === app.git_repo ? {} : { repo_url: textOf(values, "repo_url") }),
      ...(root === (app.root ?? "") ? {} : { root: root === "" ? "." : root }),
      ...(framework === (app.framework ?? RECOGNISED)
        ? {}
        : { framework: isFrameworkName(framework) ? framework : null }),
      ...(port === String(app.port ?? "") ? {} : { port: port === "" ? null : Number(port) }),
      ...(memory === (app.memory ?? "") ? {} : { memory: memory === "" ? null : memory }),
      ...(cpus === (app.cpus ?? "") ? {} : { cpus: cpus === "" ? null : cpus }),
    };
    if (Object.keys(body).length === 0) return say("Nothing was changed.");
    await done(api.PATCH("/api/apps/{name}", { params: { path: { name: app.name } }, body }));
    await reload();
    saved.value++;
    say("The settings were saved. They take effect with the next deploy.");
  }
  return (
    <section aria-labelledby="source">
      <h2 id="source">Where it comes from, and how it runs</h2>
      {notice}
      <p>
        The repository says how the app is built and started: its spec file (<code>svc.yaml</code>), a{" "}
        <code>Procfile</code> or a <code>Dockerfile</code>. A deploy takes its default branch unless it names another.
      </p>
      <Form
        key={saved.value}
        action="Save the settings"
        submit={save}
        fields={[
          { name: "repo_url", label: "Repository", value: app.git_repo ?? "" },
          {
            name: "root",
            label: "Folder",
            value: app.root ?? "",
            isOptional: true,
            hint: "Of the repository; empty for its top.",
          },
          {
            name: "port",
            label: "Port",
            value: app.port === null ? "" : String(app.port),
            isOptional: true,
            hint: "The app listens there. Empty for the framework's.",
          },
          {
            name: "memory",
            label: "Memory at most",
            value: app.memory ?? "",
            isOptional: true,
            hint: `Such as 512m or 1g. ${EMPTY_CAP}`,
          },
          {
            name: "cpus",
            label: "CPUs at most",
            value: app.cpus ?? "",
            isOptional: true,
            hint: `Such as 0.5 or 2. ${EMPTY_CAP}`,
          },
        ]}
      >
        <SelectField
          name="framework"
          label="Framework"
          value={app.framework ?? RECOGNISED}
          options={[
            { value: RECOGNISED, text: "what is recognised" },
            ...FRAMEWORK_NAMES.map((name) => ({ value: name, text: name })),
          ]}
        />
      </Form>
    </section>
  );
}

/** Says how the app is, and how that is found out. */
function Health({ app }: { app: App }) {
  return (
    <section aria-labelledby="health">
      <h2 id="health">Health</h2>
      <p>
        <span class={appLook(app)}>
          {stateSentence(app)}
          <Since app={app} />.
        </span>{" "}
        It is healthy while its port accepts connections. A new release has a minute until it does; the former one
        serves until then, and goes on serving when it never does.
      </p>
    </section>
  );
}

function Removal({ app, reload }: Pick<AppPageProps, "app" | "reload">) {
  const path = { name: app.name };
  async function takeDown() {
    await done(api.DELETE("/api/apps/{name}", { params: { path } }));
    await reload();
  }
  async function remove() {
    await done(api.DELETE("/api/apps/{name}", { params: { path, query: { purge: "1" } } }));
    location.assign("/");
  }
  return (
    <section aria-labelledby="removal">
      <h2 id="removal">Delete the app</h2>
      {app.status === "soft_stopped" ? (
        <p>The app is deleted, and can be brought back: its next deploy does that.</p>
      ) : (
        <ActionButton
          label="Delete it, and keep its data"
          isDangerous
          warning="Its container and its routes go. Its name, variables, domains and database stay, and a deploy brings it back."
          act={takeDown}
        />
      )}
      <DangerousForm
        title="Delete the app"
        action="Delete it for ever"
        submit={remove}
        fields={[{ name: "name", label: `Write ${app.name} to go on`, only: app.name }]}
      >
        <p>
          Its containers, images, volumes, domains, variables and its database go at once, and its name is free. A last
          dump of the database stays on the server for 7 days.
        </p>
      </DangerousForm>
    </section>
  );
}

/** Gives the app to another of the person's teams. */
function HandOver({ app }: { app: App }) {
  const teams = useLoaded(loadTeams);
  async function give(values: FormData) {
    const body = { team: textOf(values, "team") };
    await done(api.POST("/api/apps/{name}/hand-over", { params: { path: { name: app.name } }, body }));
    location.reload();
  }
  return (
    <Show of={teams}>
      {(all) =>
        all.length > 1 && (
          <section aria-labelledby="hand-over">
            <h2 id="hand-over">Give the app to another team</h2>
            <p>It goes on serving, with all that it has, and counts for that team from then on.</p>
            <Form
              action="Give it to the team"
              isDangerous
              submit={give}
              fields={[{ name: "app", label: `Write ${app.name} to go on`, only: app.name }]}
            >
              <SelectField name="team" label="Team" options={all.map(({ id, name }) => ({ value: id, text: name }))} />
            </Form>
          </section>
        )
      }
    </Show>
  );
}

/** Whether the app's repository is on the platform's own git host, which is at the address of the pages. */
function isHosted({ git_repo: repository }: App): boolean {
  return repository !== null && repository.startsWith(`${location.origin}/git/`);
}

/** Says how to clone an app's repository of the platform's own and push to it, and whether a push is deployed. */
function HostedRepository({ app, reload }: { app: App; reload(): Promise<void> }) {
  const deploysPushes = (deploy_on_push: boolean) => async () => {
    await done(api.PATCH("/api/apps/{name}", { params: { path: { name: app.name } }, body: { deploy_on_push } }));
    await reload();
  };
  return (
    <section aria-labelledby="hosted">
      <h2 id="hosted">Repository of the platform</h2>
      <Secret label="Clone it" text={`git clone ${app.git_repo}`} isQuiet />
      <p>
        Git asks for a user name, which may be any, and a password: one of your <a href="/settings/keys">API keys</a>.{" "}
        {app.deploy_on_push
          ? "Each push of the default branch is deployed."
          : "A push is not deployed by itself: press Deploy after it."}
      </p>
      {app.deploy_on_push ? (
        <ActionButton key="off" label="Deploy no push by itself" act={deploysPushes(false)} />
      ) : (
        <ActionButton key="on" label="Deploy each push" act={deploysPushes(true)} />
      )}
    </section>
  );
}

/** The key that a private repository lets the platform read it with. */
function DeployKey({ app, reload }: Pick<AppPageProps, "app" | "reload">) {
  const params = { path: { name: app.name } };
  async function make() {
    await done(api.POST("/api/apps/{name}/deploy-key", { params }));
    await reload();
  }
  async function remove() {
    await done(api.DELETE("/api/apps/{name}/deploy-key", { params }));
    await reload();
  }
  return (
    <section aria-labelledby="deploy-key">
      <h2 id="deploy-key">Private repository</h2>
      {app.has_deploy_key ? (
        <>
          <PublicKey name={app.name} />
          <ActionButton
            label="Remove the key"
            isDangerous
            warning="Deploys clone without one from then on."
            act={remove}
          />
        </>
      ) : (
        <>
          <p>With a key of its own the platform reads a repository that is not public.</p>
          <ActionButton label="Make a key" act={make} />
        </>
      )}
    </section>
  );
}

function PublicKey({ name }: { name: string }) {
  const key = useLoaded(() => answerOf(api.GET("/api/apps/{name}/deploy-key", { params: { path: { name } } })));
  return (
    <Show of={key}>
      {({ public_key: text }) => (
        <Secret label="Add this to the repository, as a deploy key that reads alone." text={text} isQuiet />
      )}
    </Show>
  );
}

void openAppPage("settings", Settings);
