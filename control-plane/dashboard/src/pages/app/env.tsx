import { EnvFileError, parseEnvFile } from "@svc/shared/rules/env-file.ts";
import { answerOf, api, done } from "../../client/api.ts";
import { appPath } from "../../client/page-path.ts";
import { Refusal } from "../../client/refusal.ts";
import { type AppPageProps, openAppPage } from "../../parts/app/app-page.tsx";
import { Changes, readChanges } from "../../parts/app/changes.tsx";
import { DeployButton } from "../../parts/app/deploy-button.tsx";
import { early } from "../../parts/early.ts";
import { Form, textOf } from "../../parts/form.tsx";
import { Show, useLoaded } from "../../parts/loaded.tsx";
import { useNotice } from "../../parts/notice.tsx";
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { isPublicKey } from "@svc/shared/rules/env-key.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { Found } from "../../parts/lists/found.tsx";
import { Table } from "../../parts/lists/table.tsx";

const path = { name: appPath(location.pathname).name };
const load = early(async () => await answerOf(api.GET("/api/apps/{name}/env", { params: { path } })));
const loadChanges = early(() => readChanges(path.name));

function Variables({ app }: AppPageProps) {
  const env = useLoaded(load);
  const changes = useLoaded(loadChanges, `${app.current_release} ${app.updated_at}`);
  /** The comparison when the values were read, as text; undefined until it is known. */
  const compared = useRef<string | undefined>(undefined);
  const { say, notice } = useNotice();

  // Each reading of values is an entry of the activity: they are read again when the comparison tells of a change, and on no timer.
  useLayoutEffect(() => {
    if (changes.value === undefined) return;
    const before = compared.current;
    compared.current = JSON.stringify(changes.value);
    if (before !== undefined && before !== compared.current) void env.reload();
  }, [changes.value]);
  async function reload() {
    compared.current = undefined;
    await Promise.all([env.reload(), changes.reload()]);
  }

  async function write(variables: Record<string, string>, isSealed = false) {
    const body = { env: variables, ...(isSealed ? { sealed: Object.keys(variables) } : {}) };
    const { updated } = await answerOf(api.PUT("/api/apps/{name}/env", { params: { path }, body }));
    await reload();
    say(`${updated === 1 ? "1 variable was" : `${updated} variables were`} written, for the next deploy.`);
  }
  async function seal(key: string) {
    await done(api.PUT("/api/apps/{name}/env", { params: { path }, body: { env: {}, sealed: [key] } }));
    await reload();
    say(`${key} is sealed.`);
  }
  async function remove(key: string) {
    await done(api.DELETE("/api/apps/{name}/env/{KEY}", { params: { path: { ...path, KEY: key } } }));
    await reload();
    say(`${key} was deleted. The next deploy is without it.`);
  }

  return (
    <>
      {notice}
      <p>Variables are read when the app is deployed: a change takes effect with the next deploy.</p>
      <Show of={changes}>
        {(comparison) => (
          <section aria-labelledby="next">
            <h2 id="next">What the next deploy changes</h2>
            <Changes of={comparison} />
            <DeployButton app={app} />
          </section>
        )}
      </Show>
      <Show of={env}>
        {(variables) => <EnvTable env={variables.env} sealed={variables.sealed ?? []} seal={seal} remove={remove} />}
      </Show>
      <section aria-labelledby="set">
        <h2 id="set">Set a variable</h2>
        <Form
          action="Set the variable"
          submit={(values) => write({ [textOf(values, "key").trim()]: textOf(values, "value") }, values.has("sealed"))}
          fields={[
            { name: "key", label: "Name of the variable" },
            { name: "value", label: "Value", isOptional: true },
          ]}
        >
          <p class="field">
            <label>
              <input type="checkbox" name="sealed" /> Seal it: nobody reads the value again, only the app does
            </label>
          </p>
        </Form>
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
    return Object.fromEntries(parseEnvFile("The text", text));
  } catch (error) {
    if (!(error instanceof EnvFileError)) throw error;
    const { line, reason, message } = error;
    throw new Refusal("invalid_request", line === undefined ? message : `Line ${line}: ${reason}`);
  }
}

interface EnvTableProps {
  env: Readonly<Record<string, string>>;
  /** Names of variables whose values nobody reads. */
  sealed: readonly string[];
  seal(key: string): Promise<void>;
  remove(key: string): Promise<void>;
}

type Variable = readonly [key: string, value: string | undefined];

/** Lists variables; a value is hidden until somebody asks for it. */
function EnvTable({ env, sealed, ...actions }: EnvTableProps) {
  const entries: Variable[] = [...Object.entries(env), ...sealed.map((key) => [key, undefined] as const)].toSorted(
    ([a], [b]) => a.localeCompare(b),
  );
  if (entries.length === 0) return <p>The app has no variables.</p>;
  return (
    <Found all={entries} nameOf={([key]) => key}>
      {(found) => <VariableTable variables={found} {...actions} />}
    </Found>
  );
}

interface VariableTableProps extends Pick<EnvTableProps, "seal" | "remove"> {
  variables: readonly Variable[];
}

function VariableTable({ variables, seal, remove }: VariableTableProps) {
  return (
    <Table
      label="Table of variables"
      rows={variables}
      keyOf={([key]) => key}
      columns={{
        Name: ([key]) => <code>{key}</code>,
        Value: ([key, value]) =>
          value === undefined ? "sealed: nobody reads it again" : <Value name={key} value={value} />,
        Action: ([key, value]) => (
          <div class="row">
            {value !== undefined && !isPublicKey(key) && (
              <ActionButton
                label="Seal"
                object={key}
                warning="Nobody reads the value again, not even you. The app goes on getting it."
                act={() => seal(key)}
              />
            )}
            <ActionButton
              label="Delete"
              object={key}
              isDangerous
              warning="The next deploy is without it."
              act={() => remove(key)}
            />
          </div>
        ),
      }}
    />
  );
}

function Value({ name, value }: { name: string; value: string }) {
  const isShown = useSignal(false);
  return (
    <span class="row">
      {isShown.value ? <code class="value">{value}</code> : <span aria-hidden="true">••••••••</span>}
      <button type="button" aria-pressed={isShown.value} onClick={() => (isShown.value = !isShown.value)}>
        {isShown.value ? "Hide" : "Show"}
        <span class="heard"> {name}</span>
      </button>
    </span>
  );
}

void openAppPage("env", Variables);
