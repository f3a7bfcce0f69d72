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
const loadNames = early(
  async () => (await answerOf(api.GET("/api/apps/{name}/variables", { params: { path } }))).variables,
);
/** A reading is an entry of the activity: it is made when somebody asks to see a value. */
const loadValues = async () => (await answerOf(api.GET("/api/apps/{name}/env", { params: { path } }))).env;
const loadChanges = early(() => readChanges(path.name));

function Variables({ app }: AppPageProps) {
  const names = useLoaded(loadNames);
  /** Undefined until somebody asks to see one. */
  const values = useSignal<Values | undefined>(undefined);
  const changes = useLoaded(loadChanges, `${app.current_release} ${app.updated_at}`);
  /** The comparison when the names were read, as text; undefined until it is known. */
  const compared = useRef<string | undefined>(undefined);
  const { say, clear, notice } = useNotice();

  // Names are read again when the comparison tells of a change, and on no timer; values only when somebody asks for one anew.
  useLayoutEffect(() => {
    if (changes.value === undefined) return;
    const before = compared.current;
    compared.current = JSON.stringify(changes.value);
    if (before !== undefined && before !== compared.current) void readAgain();
  }, [changes.value]);
  async function readAgain() {
    values.value = undefined;
    await names.reload();
  }
  async function reload() {
    compared.current = undefined;
    await Promise.all([readAgain(), changes.reload()]);
  }
  async function show() {
    values.value = await loadValues();
  }

  async function write(read: () => Record<string, string>, isSealed = false) {
    // The sentence about what was written before would stand beside a refusal.
    clear();
    const variables = read();
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
      {app.database_name !== null && (
        <p>
          The app has a database: its address is in <code>DATABASE_URL</code>, which the platform sets.
        </p>
      )}
      <Show of={names}>
        {(variables) => (
          <EnvTable variables={variables} values={values.value} show={show} seal={seal} remove={remove} />
        )}
      </Show>
      <section aria-labelledby="set">
        <h2 id="set">Set a variable</h2>
        <Form
          action="Set the variable"
          submit={(values) =>
            write(() => ({ [textOf(values, "key").trim()]: textOf(values, "value") }), values.has("sealed"))
          }
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
          submit={(values) => write(() => variablesIn(textOf(values, "file")))}
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

type Values = Readonly<Record<string, string>>;

interface EnvTableProps {
  variables: readonly Variable[];
  values: Values | undefined;
  /** Reads the values. @throws Refusal */
  show(): Promise<void>;
  seal(key: string): Promise<void>;
  remove(key: string): Promise<void>;
}

interface Variable {
  name: string;
  /** Nobody reads its value. */
  sealed: boolean;
}

/** Lists variables; a value is read and shown when somebody asks for it. */
function EnvTable({ variables, ...rest }: EnvTableProps) {
  if (variables.length === 0) return <p>The app has no variables.</p>;
  return (
    <Found all={variables} nameOf={({ name }) => name}>
      {(found) => <VariableTable variables={found} {...rest} />}
    </Found>
  );
}

function VariableTable({ variables, values, show, seal, remove }: EnvTableProps) {
  return (
    <Table
      label="Table of variables"
      rows={variables}
      keyOf={({ name }) => name}
      columns={{
        Name: ({ name }) => <code>{name}</code>,
        Value: ({ name, sealed }) =>
          sealed ? "sealed: nobody reads it again" : <Value name={name} value={values?.[name]} show={show} />,
        Action: ({ name, sealed }) => (
          <div class="row">
            {!sealed && !isPublicKey(name) && (
              <ActionButton
                label="Seal"
                object={name}
                warning="Nobody reads the value again, not even you. The app goes on getting it."
                act={() => seal(name)}
              />
            )}
            <ActionButton
              label="Delete"
              object={name}
              isDangerous
              warning="The next deploy is without it."
              act={() => remove(name)}
            />
          </div>
        ),
      }}
    />
  );
}

interface ValueProps extends Pick<EnvTableProps, "show"> {
  name: string;
  /** Undefined until it was read. */
  value: string | undefined;
}

function Value({ name, value, show }: ValueProps) {
  const isAsked = useSignal(false);
  const isShown = isAsked.value && value !== undefined;
  // A value that is to be read again is asked for again.
  useLayoutEffect(() => {
    if (value === undefined) isAsked.value = false;
  }, [value]);
  async function toggle() {
    if (value === undefined) await show();
    isAsked.value = !isShown;
  }
  return (
    <span class="row">
      {isShown ? <code class="value">{value}</code> : <span aria-hidden="true">••••••••</span>}
      <ActionButton label={isShown ? "Hide" : "Show"} object={name} act={toggle} />
    </span>
  );
}

void openAppPage("env", Variables);
