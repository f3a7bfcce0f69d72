import { isPublicKey } from "@svc/shared/frameworks/build-env.ts";

/** What may be known while an image is built (decisions, Env at build time). */
export function publicBuildEnv(stored: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(stored).filter(([key]) => isPublicKey(key)));
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
