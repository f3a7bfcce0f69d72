import type { SecretsProvider } from "../secrets/provider.ts";

/** Stands in the order in which they are asked. */
export type EnvSource = "app" | "secrets" | "environment" | ".env";

export interface EnvSources {
  /** Keys that the app has. */
  app: ReadonlySet<string>;
  secrets: SecretsProvider | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  /** Is read only when something is still missing. */
  dotenv(): Promise<ReadonlyMap<string, string>>;
}

export interface ResolvedEnv {
  /** Values that the app does not have yet. */
  values: Readonly<Record<string, string>>;
  sources: Readonly<Record<string, EnvSource>>;
  missing: readonly string[];
}

/** Where each of the keys comes from. */
export async function resolveEnv(keys: readonly string[], from: EnvSources): Promise<ResolvedEnv> {
  const sources = new Map<string, EnvSource>();
  const values = new Map<string, string>();
  const left = (): string[] => keys.filter((key) => !sources.has(key));
  const take = (source: EnvSource, valueOf: (key: string) => string | undefined): void => {
    for (const key of left()) {
      const value = valueOf(key);
      if (value === undefined) continue;
      sources.set(key, source);
      values.set(key, value);
    }
  };

  for (const key of keys) if (from.app.has(key)) sources.set(key, "app");
  if (from.secrets && left().length > 0) {
    const found = await from.secrets.read(left());
    take("secrets", (key) => found.get(key));
  }
  take("environment", (key) => (Object.hasOwn(from.environment, key) ? from.environment[key] : undefined));
  if (left().length > 0) {
    const found = await from.dotenv();
    take(".env", (key) => found.get(key));
  }
  return { values: Object.fromEntries(values), sources: Object.fromEntries(sources), missing: left() };
}
