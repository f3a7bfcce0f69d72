import { CliError, EXIT } from "../output/cli-error.ts";
import { answerOf, type App, type Deploy, type Service, type WaitingDeploy } from "./client.ts";

/** The app of that name; undefined when the user has none. */
export async function findApp(service: Service, name: string): Promise<App | undefined> {
  const { apps } = await answerOf(service, service.rest.GET("/api/apps"));
  return apps.find((app) => app.name === name);
}

/** @throws CliError not_found */
export async function requireApp(service: Service, name: string): Promise<App> {
  const app = await findApp(service, name);
  if (app) return app;
  throw new CliError(
    "not_found",
    `You have no app ${name}: \`svc up\` creates it, \`svc apps\` lists yours.`,
    EXIT.failed,
  );
}

/** The newest deploy of the app that has started. */
export async function newestDeploy(service: Service, name: string): Promise<Deploy | undefined> {
  const params = { path: { name }, query: { limit: 1 } };
  const { deploys } = await answerOf(service, service.rest.GET("/api/apps/{name}/deploys", { params }));
  return deploys[0];
}

export async function readDeploy(service: Service, id: string): Promise<Deploy> {
  const read = service.rest.GET("/api/deploys/{id}", { params: { path: { id } } });
  return (await answerOf(service, read)).deploy;
}

/** The app's variables, and the names of those whose values nobody reads. */
export async function readVariables(service: Service, name: string) {
  const read = service.rest.GET("/api/apps/{name}/env", { params: { path: { name } } });
  const { env, sealed = [] } = await answerOf(service, read);
  return { env, sealed };
}

/** The app's deploy that waits, and what for; undefined when none does, and from a service that does not say so yet. */
export async function readWaiting(service: Service, name: string): Promise<WaitingDeploy | undefined> {
  const read = service.rest.GET("/api/apps/{name}/deploys/waiting", { params: { path: { name } } });
  return (await read).data?.waiting ?? undefined;
}
