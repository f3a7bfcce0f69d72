import { useSignal } from "@preact/signals";
import { answerOf, api } from "../client/api.ts";
import { Choice } from "../parts/choice.tsx";
import { Form, textOf } from "../parts/form.tsx";
import { Show, useLoaded } from "../parts/loaded.tsx";
import { openPersonalPage } from "../parts/open-page.tsx";
import { SelectField } from "../parts/select-field.tsx";

const SOURCES = [
  { value: "repository", text: "A git repository" },
  { value: "template", text: "A template" },
] as const;

function NewApp() {
  const source = useSignal<(typeof SOURCES)[number]["value"]>("repository");
  return (
    <>
      <p>The platform recognises what is in a repository, builds it, and serves it at an address of its own.</p>
      <Choice
        label="Where the app comes from"
        options={SOURCES}
        value={source.value}
        onChoose={(chosen) => (source.value = chosen)}
      />
      {source.value === "repository" ? <FromRepository /> : <FromTemplate />}
      <h2>From a terminal</h2>
      <p>
        Or run <code>svc up</code> in the folder of a project. <code>svc</code> comes from here:
      </p>
      <pre>
        npm install --global {location.origin}/cli/svc.tgz{"\n"}svc login {location.origin}
      </pre>
    </>
  );
}

const NAME = {
  name: "name",
  label: "Name",
  autocomplete: "off",
  hint: "Lower case letters, digits and dashes; it is a part of the app's address.",
};

/** Makes the app, begins its first deploy, and goes to where that can be watched. */
async function start(values: FormData, source: { repo_url: string; needs_database: boolean } | { template: string }) {
  const name = textOf(values, "name").trim();
  const team = textOf(values, "team");
  const headers = team === "" ? {} : { "Svc-Team": team };
  await answerOf(api.POST("/api/apps", { body: { name, ...source }, headers }));
  const page = `/apps/${encodeURIComponent(name)}`;
  const deploy = api.POST("/api/apps/{name}/deploy", { params: { path: { name } }, body: {} });
  // The app is there, even when it can't be deployed now: its page says why, when that is tried again.
  location.assign(
    await answerOf(deploy).then(
      ({ deploy_id: id }) => `${page}/deploys/${id}`,
      () => page,
    ),
  );
}

function FromRepository() {
  return (
    <Form
      key="repository"
      action="Make and deploy"
      submit={(values) =>
        start(values, {
          repo_url: textOf(values, "repo_url").trim(),
          needs_database: values.has("needs_database"),
        })
      }
      fields={[
        {
          name: "repo_url",
          label: "Address of the repository",
          autocomplete: "off",
          hint: "Such as https://github.com/you/hello.",
        },
        NAME,
      ]}
    >
      <p class="field">
        <label>
          <input type="checkbox" name="needs_database" /> With a PostgreSQL database
        </label>
      </p>
      <TeamField />
    </Form>
  );
}

function FromTemplate() {
  const templates = useLoaded(async () => (await answerOf(api.GET("/api/templates"))).templates);
  return (
    <Show of={templates}>
      {(all) => (
        <Form
          key="template"
          action="Make and deploy"
          submit={(values) => start(values, { template: textOf(values, "template") })}
          fields={[NAME]}
        >
          <SelectField
            name="template"
            label="Template"
            options={all.map(({ slug, title }) => ({ value: slug, text: title }))}
            hint="Its repository is yours, on the platform's own git host."
          />
          <TeamField />
        </Form>
      )}
    </Show>
  );
}

/** The choice of the app's team, for who has several. */
function TeamField() {
  const teams = useLoaded(async () => (await answerOf(api.GET("/api/teams"))).teams);
  const all = teams.value ?? [];
  if (all.length < 2) return null;
  return <SelectField name="team" label="Team" options={all.map(({ id, name }) => ({ value: id, text: name }))} />;
}

void openPersonalPage("New app", NewApp);
