import { FRAMEWORK_NAMES, isFrameworkName } from "@svc/shared/rules/frameworks.ts";
import { useSignal } from "@preact/signals";
import { api, done } from "../../client/api.ts";
import { openAppPage, type AppPageProps } from "../../parts/app/app-page.tsx";
import { DangerousForm } from "../../parts/dangerous-form.tsx";
import { DeployKey } from "../../parts/app/deploy-key.tsx";
import { HandOver } from "../../parts/app/hand-over.tsx";
import { HostedRepository, isHosted } from "../../parts/app/hosted-repository.tsx";
import { Form, textOf } from "../../parts/form.tsx";
import { useNotice } from "../../parts/notice.tsx";
import { SelectField } from "../../parts/select-field.tsx";

function Settings({ app, reload }: AppPageProps) {
  return (
    <>
      <Source app={app} reload={reload} />
      {isHosted(app) ? <HostedRepository app={app} reload={reload} /> : <DeployKey app={app} />}
      <HandOver app={app} />
      <Removal app={app} />
    </>
  );
}

/** The value of the choice that names no framework. */
const RECOGNISED = "";

function Source({ app, reload }: Pick<AppPageProps, "app" | "reload">) {
  const { say, notice } = useNotice();
  /** Counts what was saved: the form is made anew then, and keeps what is being entered while the app is read again. */
  const saved = useSignal(0);
  async function save(values: FormData) {
    const [port, framework, root] = [textOf(values, "port"), textOf(values, "framework"), textOf(values, "root")];
    const body = {
      ...(textOf(values, "repo_url") === app.git_repo ? {} : { repo_url: textOf(values, "repo_url") }),
      ...(root === (app.root ?? "") ? {} : { root: root === "" ? "." : root }),
      ...(framework === (app.framework ?? RECOGNISED)
        ? {}
        : { framework: isFrameworkName(framework) ? framework : null }),
      ...(port === String(app.port ?? "") ? {} : { port: port === "" ? null : Number(port) }),
    };
    if (Object.keys(body).length === 0) return say("Nothing was changed.");
    await done(api.PATCH("/api/apps/{name}", { params: { path: { name: app.name } }, body }));
    await reload();
    saved.value++;
    say("The settings were saved. They take effect with the next deploy.");
  }
  return (
    <section aria-labelledby="source">
      <h2 id="source">Where it comes from</h2>
      {notice}
      <Form
        key={saved.value}
        action="Save the settings"
        submit={save}
        fields={[
          { name: "repo_url", label: "Repository", autocomplete: "off", value: app.git_repo ?? "" },
          {
            name: "root",
            label: "Folder",
            autocomplete: "off",
            value: app.root ?? "",
            isOptional: true,
            hint: "Of the repository; empty for its top.",
          },
          {
            name: "port",
            label: "Port",
            autocomplete: "off",
            value: app.port === null ? "" : String(app.port),
            isOptional: true,
            hint: "The app listens there. Empty for the framework's.",
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

function Removal({ app }: Pick<AppPageProps, "app">) {
  async function remove() {
    const params = { path: { name: app.name }, query: { purge: "1" as const } };
    await done(api.DELETE("/api/apps/{name}", { params }));
    location.assign("/");
  }
  return (
    <section aria-labelledby="removal">
      <h2 id="removal">Delete the app</h2>
      <DangerousForm
        title="Delete the app"
        action="Delete it for ever"
        submit={remove}
        fields={[{ name: "name", label: `Write ${app.name} to go on`, autocomplete: "off", only: app.name }]}
      >
        <p>
          Its containers, images, volumes, domains, variables and its database go at once, and its name is free. A last
          dump of the database stays on the server for 7 days.
        </p>
      </DangerousForm>
    </section>
  );
}

void openAppPage("settings", Settings);
