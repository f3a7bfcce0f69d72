import { z } from "@hono/zod-openapi";
import { HEALTH_REASON_TEXTS } from "../../apps/health/app-health.ts";
import { asWord } from "../as-data.ts";
import { answerOf, done, type App, type Service } from "../service.ts";
import { appName, changingTool, readingTool, shownText } from "../tool.ts";

/** Apps in one answer. */
const APPS_MAX = 100;
/** Apps that are looked at for a fault, in pages of the list. */
const LOOKED_AT_MAX = 1_000;

export const appTools = [
  readingTool({
    name: "list_apps",
    title: "Apps",
    description:
      "All apps that you can see: status, health, release, address. Begin here when you don't know an app's name.",
    operations: ["listApps"],
    input: z.strictObject({
      broken: z
        .boolean()
        .optional()
        .describe(
          "Only apps that are unhealthy, away or failed, that the platform has stopped, or whose newest deploy failed.",
        ),
    }),
    async run({ service }, { broken }) {
      if (broken === true) return tellFaults(service);
      const { apps, next_cursor: more } = await answerOf(
        service.GET("/api/apps", { params: { query: { limit: APPS_MAX } } }),
      );
      if (apps.length === 0) return "There are no apps. Make one with create_app.";
      const lines = apps.map(
        (app) => `${app.name}: ${stateOf(app)}, release ${asWord(app.current_release)}, ${app.url}`,
      );
      return [...lines, ...(more ? [`More than ${APPS_MAX}: name the app that you mean.`] : [])].join("\n");
    },
  }),
  readingTool({
    name: "read_app",
    title: "One app",
    description:
      "An app: what serves, its health and since when, its repository, framework, port, server, and what its next deploy waits for.",
    operations: ["readApp", "readWaitingDeploy"],
    input: z.strictObject({ app: appName }),
    async run({ service }, { app: name }) {
      const params = { params: { path: { name } } };
      const { app } = await answerOf(service.GET("/api/apps/{name}", params));
      const { waiting } = await answerOf(service.GET("/api/apps/{name}/deploys/waiting", params));
      const facts = [
        `${app.name}: ${stateOf(app)}`,
        `health: ${healthOf(app)}`,
        `address: ${app.url}`,
        `release: ${asWord(app.current_release ?? "none yet")}, last deployed: ${app.last_deployed_at ?? "never"}`,
        `last deploy that ended: ${lastDeployOf(app)}`,
        `repository: ${asWord(app.git_repo)}, folder: ${asWord(app.root ?? "/")}, deploy on push: ${app.deploy_on_push}`,
        `framework: ${app.framework ?? "found at the next deploy"}, port: ${app.port ?? "-"}, database: ${app.needs_database}`,
        `server: ${app.server ?? "-"}`,
      ];
      if (app.stopped_by) facts.push(`stopped by the platform: ${asWord(app.stopped_by.detail, 500)}`);
      if (waiting) {
        facts.push(
          `deploy ${waiting.deploy_id} is ${waiting.status} and waits for ${waiting.waits_for}: ${asWord(waiting.detail, 500)}`,
        );
      }
      if (app.status === "failed") facts.push("Next: explain_failure.");
      return facts.join("\n");
    },
  }),
  readingTool({
    name: "plan_app",
    title: "What a repository would become",
    description:
      "Reads a repository and makes nothing: framework with the reason, port, start command, variables it asks for.",
    operations: ["planRepository"],
    input: z.strictObject({ repo_url: z.string(), ref: z.string().optional(), root: z.string().optional() }),
    async run({ service }, body) {
      const plan = await answerOf(service.POST("/api/plan", { body }));
      return [
        `framework ${plan.framework} (${asWord(plan.reason)}), port ${plan.port}, commit ${plan.commit_sha}`,
        `start: ${asWord(plan.start ?? "the base image's")}`,
        `variables: ${plan.env.map((name) => asWord(name)).join(", ") || "none"}`,
        ...plan.notes.map((note) => asWord(note, 500)),
        "Next: create_app.",
      ].join("\n");
    },
  }),
  changingTool({
    name: "create_app",
    title: "Make an app",
    description: "Makes an app of a git repository or a template. Nothing runs until it is deployed.",
    effect: "changes",
    operations: ["createApp"],
    input: z.strictObject({
      app: appName,
      repo_url: shownText.optional().describe("The repository's https address."),
      template: shownText.optional().describe("A template's name, in place of a repository."),
      needs_database: z.boolean().optional().describe("Whether it gets a PostgreSQL database (DATABASE_URL)."),
    }),
    intent: ({ app, ...rest }) => ({
      sentence: `make the app ${app}`,
      request: { method: "POST", path: "/api/apps", body: { name: app, ...rest } },
    }),
    async run({ service }, { app: name, ...rest }) {
      const { app } = await answerOf(service.POST("/api/apps", { body: { name, ...rest } }));
      return `Made ${app.name}; it will be served at ${app.url}. Next: deploy.`;
    },
  }),
  changingTool({
    name: "act_on_app",
    title: "Start, stop or restart an app",
    description: "Starts, stops or restarts an app's container. A stopped app answers 503.",
    effect: "changes",
    operations: ["actOnApp"],
    input: z.strictObject({ app: appName, action: z.enum(["start", "stop", "restart"]) }),
    intent: ({ app, action }) => ({
      sentence: `${action} ${app}`,
      request: { method: "POST", path: `/api/apps/${app}/action`, body: { action } },
    }),
    async run({ service }, { app: name, action }) {
      await answerOf(service.POST("/api/apps/{name}/action", { params: { path: { name } }, body: { action } }));
      return `Done: ${action} ${name}. Next: read_app shows its health.`;
    },
  }),
  changingTool({
    name: "delete_app",
    title: "Delete an app",
    description:
      "Stops an app and removes it from its server. With purge its name, variables and database are gone as well.",
    effect: "destroys",
    operations: ["deleteApp"],
    input: z.strictObject({ app: appName, purge: z.boolean().optional() }),
    intent: ({ app, purge }) => ({
      sentence: purge ? `delete ${app} with its database and all that is kept of it` : `stop and remove ${app}`,
      request: { method: "DELETE", path: `/api/apps/${app}${purge ? "?purge=1" : ""}` },
    }),
    async run({ service }, { app: name, purge }) {
      const query = purge ? { purge: "1" as const } : {};
      await done(service.DELETE("/api/apps/{name}", { params: { path: { name }, query } }));
      return purge ? `Deleted ${name}.` : `Removed ${name}; a deploy brings it back.`;
    },
  }),
];

function stateOf({ status, health }: App): string {
  return status === "running" && health.state === "unhealthy" ? `running, unhealthy (${health.reason ?? "?"})` : status;
}

function healthOf({ health: { state, reason, since } }: App): string {
  return `${state}${since === null ? "" : ` since ${since}`}${reason === null ? "" : `: ${HEALTH_REASON_TEXTS[reason]}`}`;
}

function lastDeployOf({ last_deploy: last }: App): string {
  if (last === null) return "none yet";
  const end = last.taken_back ? "taken back soon after it went live" : last.status;
  return `${asWord(last.release)}, ${end}, ${last.finished_at}`;
}

async function tellFaults(service: Service): Promise<string> {
  const lines: string[] = [];
  let lookedAt = 0;
  let cursor: string | undefined;
  do {
    const query = { limit: APPS_MAX, ...(cursor === undefined ? {} : { cursor }) };
    const { apps, next_cursor: next } = await answerOf(service.GET("/api/apps", { params: { query } }));
    for (const app of apps) {
      const fault = faultOf(app);
      if (fault !== undefined) lines.push(`${app.name}: ${fault}`);
    }
    lookedAt += apps.length;
    cursor = next ?? undefined;
  } while (cursor !== undefined && lookedAt < LOOKED_AT_MAX);
  if (cursor !== undefined) return [...lines, `Only the first ${lookedAt} apps were looked at: name one.`].join("\n");
  return lines.length === 0 ? "Nothing is broken." : lines.join("\n");
}

/** Why somebody should look at the app, in one clause; undefined when nobody should. */
function faultOf(app: App): string | undefined {
  const { status, health, stopped_by: stop, last_deploy: last } = app;
  if (status === "soft_stopped") return undefined;
  if (stop) return `stopped by the platform: ${asWord(stop.detail, 500)}`;
  if (health.reason === "server_away" || (status === "running" && health.state === "unhealthy")) return healthOf(app);
  if (last?.status === "failed") return `its last deploy failed (${asWord(last.release)})`;
  if (last?.taken_back) return `${asWord(last.release)} was taken back soon after it went live`;
  return status === "failed" ? "it has failed: nothing of it serves" : undefined;
}
