/** The only keys that may be known while an image is built (decisions, Env at build time): their values are public. */
const PUBLIC_PREFIXES = ["NEXT_PUBLIC_", "VITE_", "PUBLIC_", "NUXT_PUBLIC_", "REACT_APP_", "GATSBY_"];

export function publicBuildEnv(stored: Readonly<Record<string, string>>): Record<string, string> {
  const isPublic = ([key]: [string, string]): boolean => PUBLIC_PREFIXES.some((prefix) => key.startsWith(prefix));
  return Object.fromEntries(Object.entries(stored).filter(isPublic));
}

export interface RuntimeFacts {
  stored: Readonly<Record<string, string>>;
  /** Of the provisioned database. */
  databaseUrl: string | undefined;
  port: number;
  appName: string;
  release: string;
  commitSha: string;
}

/** What a container is started with (decisions, Env at run time). A `DATABASE_URL` of the user's own wins. */
export function runtimeEnv(facts: RuntimeFacts): Record<string, string> {
  return {
    ...(facts.databaseUrl === undefined ? {} : { DATABASE_URL: facts.databaseUrl }),
    ...facts.stored,
    PORT: String(facts.port),
    SVC_APP: facts.appName,
    SVC_RELEASE: facts.release,
    SVC_COMMIT_SHA: facts.commitSha,
  };
}
