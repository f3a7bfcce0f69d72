import { EnvFileError, parseEnvFile } from "@svc/shared/rules/env-file.ts";
import { answerOf, api, done } from "../../client/api.ts";
import { Refusal } from "../../client/refusal.ts";
import { openAppPage, type AppPageProps } from "../../parts/app/app-page.tsx";
import { DeployButton } from "../../parts/app/deploy-button.tsx";
import { EnvTable } from "../../parts/app/env-table.tsx";
import { Form, textOf } from "../../parts/form.tsx";
import { Show, useLoaded } from "../../parts/loaded.tsx";
import { useNotice } from "../../parts/notice.tsx";

function Variables({ app }: AppPageProps) {
  const path = { name: app.name };
  const env = useLoaded(async () => (await answerOf(api.GET("/api/apps/{name}/env", { params: { path } }))).env);
  const { say, notice } = useNotice();

  async function write(variables: Record<string, string>) {
    const { updated } = await answerOf(api.PUT("/api/apps/{name}/env", { params: { path }, body: { env: variables } }));
    await env.reload();
    say(`${updated === 1 ? "1 variable was" : `${updated} variables were`} written, for the next deploy.`);
  }
  async function remove(key: string) {
    await done(api.DELETE("/api/apps/{name}/env/{KEY}", { params: { path: { ...path, KEY: key } } }));
    await env.reload();
    say(`${key} was deleted. The next deploy is without it.`);
  }

  return (
    <>
      {notice}
      <p>Variables are read when the app is deployed: a change takes effect with the next deploy.</p>
      <DeployButton app={app} />
      <Show of={env}>{(variables) => <EnvTable env={variables} remove={remove} />}</Show>
      <section aria-labelledby="set">
        <h2 id="set">Set a variable</h2>
        <Form
          action="Set the variable"
          submit={(values) => write({ [textOf(values, "key").trim()]: textOf(values, "value") })}
          fields={[
            { name: "key", label: "Name of the variable", autocomplete: "off" },
            { name: "value", label: "Value", autocomplete: "off", isOptional: true },
          ]}
        />
      </section>
      <section aria-labelledby="paste">
        <h2 id="paste">Paste a .env file</h2>
        <Form
          action="Set all of them"
          submit={(values) => write(variablesIn(textOf(values, "file")))}
          fields={[
            {
              name: "file",
              label: "Content of the file",
              type: "multiline",
              autocomplete: "off",
              hint: "Lines such as KEY=value. Variables that it does not name stay.",
            },
          ]}
        />
      </section>
    </>
  );
}

/** @throws Refusal that names the line, and never quotes it */
function variablesIn(text: string): Record<string, string> {
  try {
    return Object.fromEntries(parseEnvFile("line", text));
  } catch (error) {
    throw error instanceof EnvFileError ? new Refusal("invalid_request", error.message) : error;
  }
}

void openAppPage("env", Variables);
