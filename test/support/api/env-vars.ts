interface EnvVar {
  key: string;
  value: string;
}

/** As it goes over the wire. */
export function toEnvVars(env: Readonly<Record<string, string>>): EnvVar[] {
  return Object.entries(env).map(([key, value]) => ({ key, value }));
}

export function fromEnvVars(vars: readonly EnvVar[]): Record<string, string> {
  return Object.fromEntries(vars.map(({ key, value }) => [key, value]));
}
