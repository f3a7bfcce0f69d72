import { useSignal } from "@preact/signals";
import { answerOf, api, done } from "../../client/api.ts";
import { Form, textOf } from "../form.tsx";
import { Secret } from "../copy/secret.tsx";
import { NAME_FIELD, TeamField } from "./app-fields.tsx";
import { teamHeader } from "./make-app.ts";

/** Makes an app with a repository of the platform's own, and says how to push to it. */
export function FromPush() {
  const made = useSignal<{ name: string; repository: string } | undefined>(undefined);

  async function make(values: FormData) {
    const [name, headers] = [textOf(values, "name").trim(), teamHeader(textOf(values, "team"))];
    const { repo_url } = await answerOf(api.POST("/api/repositories", { body: { name }, headers }));
    await answerOf(api.POST("/api/apps", { body: { name, repo_url }, headers }));
    await done(api.PATCH("/api/apps/{name}", { params: { path: { name } }, body: { deploy_on_push: true } }));
    made.value = { name, repository: repo_url };
  }

  if (made.value === undefined) {
    return (
      <Form action="Make the repository" submit={make} fields={[NAME_FIELD]}>
        <TeamField />
      </Form>
    );
  }
  const { name, repository } = made.value;
  return (
    <section aria-label="How to push">
      <Secret
        label={`Push your project to ${name}`}
        text={`git remote add svc ${repository}\ngit push --force svc HEAD:main`}
      />
      <p>
        Git asks for a user name, which may be any, and a password: one of your <a href="/settings/keys">API keys</a>.
        Each push is deployed. <a href={`/apps/${encodeURIComponent(name)}/deploys`}>Watch the deploys of {name}</a>
      </p>
    </section>
  );
}
