import { wrongUse } from "../output/cli-error.ts";
import type { Invocation } from "../command-line/command.ts";
import { commandProvider } from "./command.ts";
import type { SecretsProvider } from "./provider.ts";
import { vaultProvider } from "./vault.ts";

/** The secrets manager that `--vault`, SVC_VAULT_PATH or SVC_SECRETS_COMMAND name. @throws CliError wrong_use */
export function configuredProvider({ flags, env, dir }: Invocation): SecretsProvider | undefined {
  const path = flags.text("vault") ?? (env["SVC_VAULT_PATH"] || undefined);
  const command = env["SVC_SECRETS_COMMAND"] || undefined;
  if (path !== undefined && command !== undefined && flags.text("vault") === undefined) {
    throw wrongUse("SVC_VAULT_PATH and SVC_SECRETS_COMMAND are both set: unset one.");
  }
  if (path !== undefined) return vaultProvider(path, env);
  return command === undefined ? undefined : commandProvider(command, dir);
}
