import { isPublicKey } from "@svc/shared/rules/env-key.ts";
import { serviceVariable } from "@svc/shared/spec/service-databases.ts";

/** Returns the variables that may be known while an image is built. */
export function publicBuildEnv(stored: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(stored).filter(([key]) => isPublicKey(key)));
}

export interface RuntimeFacts {
  stored: Readonly<Record<string, string>>;
  /** The URL of the provisioned database. */
  databaseUrl: string | undefined;
  /** Databases on the same server, by the name that the spec file gives each. */
  services: ReadonlyMap<string, string>;
  port: number;
  appName: string;
  release: string;
  commitSha: string;
}

/**
 * Returns the environment that a container is started with. A `DATABASE_URL` of the user's
 * own wins.
 */
export function runtimeEnv(facts: RuntimeFacts): Record<string, string> {
  return {
    ...(facts.databaseUrl === undefined ? {} : databaseEnv(facts.databaseUrl, facts.services)),
    ...facts.stored,
    PORT: String(facts.port),
    SVC_APP: facts.appName,
    SVC_RELEASE: facts.release,
    SVC_COMMIT_SHA: facts.commitSha,
  };
}

function databaseEnv(url: string, services: ReadonlyMap<string, string>): Record<string, string> {
  const named = [...services].map(([service, database]) => {
    const own = new URL(url);
    own.pathname = `/${encodeURIComponent(database)}`;
    return [serviceVariable(service), own.href];
  });
  return { DATABASE_URL: url, ...Object.fromEntries(named) };
}
