import { useSignal } from "@preact/signals";
import { isPublicKey } from "@svc/shared/rules/env-key.ts";
import { ActionButton } from "../action-button.tsx";
import { Found } from "../lists/found.tsx";

interface EnvTableProps {
  env: Readonly<Record<string, string>>;
  /** Names of variables whose values nobody reads. */
  sealed: readonly string[];
  seal(key: string): Promise<void>;
  remove(key: string): Promise<void>;
}

type Variable = readonly [key: string, value: string | undefined];

/** Lists variables; a value is hidden until somebody asks for it. */
export function EnvTable({ env, sealed, ...actions }: EnvTableProps) {
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
    <div class="wide" tabIndex={0} role="region" aria-label="Table of variables">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Value</th>
            <th scope="col">Action</th>
          </tr>
        </thead>
        <tbody>
          {variables.map(([key, value]) => (
            <tr key={key}>
              <th scope="row">
                <code>{key}</code>
              </th>
              <td>{value === undefined ? "sealed: nobody reads it again" : <Value name={key} value={value} />}</td>
              <td>
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
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
