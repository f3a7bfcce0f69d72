import { z } from "@hono/zod-openapi";
import { asWord } from "../as-data.ts";
import { answerOf, done, type App } from "../service.ts";
import { appName, changingTool, readingTool, shownText } from "../tool.ts";

/** Apps in one answer. */
const APPS_MAX = 100;

export const appTools = [
  readingTool({
    name: "list_apps",
    title: "Apps",
    description:
      "All apps that you can see: status, health, release, address. Begin here when you don't know an app's name.",
    operations: ["listApps"],
    input: z.strictObject({}),
    async run({ service }) {
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
      "An app: what serves, since when, its repository, framework, port, server, and what its next deploy waits for.",
    operations: ["readApp", "readWaitingDeploy"],
    input: z.strictObject({ app: appName }),
    async run({ service }, { app: name }) {
      const params = { params: { path: { name } } };
      const { app } = await answerOf(service.GET("/api/apps/{name}", params));
      const { waiting } = await answerOf(service.GET("/api/apps/{name}/deploys/waiting", params));
      const facts = [
        `${app.name}: ${stateOf(app)}`,
        `address: ${app.url}`,
        `release: ${asWord(app.current_release ?? "none yet")}, last deployed: ${app.last_deployed_at ?? "never"}`,
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
