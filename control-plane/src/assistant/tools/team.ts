import { z } from "@hono/zod-openapi";
import { asWord } from "../as-data.ts";
import { answerOf } from "../service.ts";
import { readingTool } from "../tool.ts";

const ENTRIES = { default: 20, max: 50 };

export const teamTools = [
  readingTool({
    name: "read_activity",
    title: "Who did what",
    description: "The newest entries of the activity of each team that you own.",
    operations: ["listTeams", "listActivity"],
    input: z.strictObject({
      action: z.string().optional().describe("An action, or the beginning of several: app."),
      entries: z.int().min(1).max(ENTRIES.max).optional(),
    }),
    async run({ service }, { action, entries: limit = ENTRIES.default }) {
      const { teams } = await answerOf(service.GET("/api/teams"));
      const own = teams.filter(({ role }) => role === "owner");
      const told = own.map(async ({ id: team, name }) => {
        const params = { path: { team }, query: { limit, action } };
        const { activity } = await answerOf(service.GET("/api/teams/{team}/activity", { params }));
        const lines = activity.map(
          (entry) =>
            `${entry.at}: ${entry.action} ${asWord(entry.target_name ?? entry.target)} by ${asWord(entry.email ?? entry.actor)}`,
        );
        return [`${asWord(name)}:`, ...lines].join("\n");
      });
      return (await Promise.all(told)).join("\n");
    },
  }),
  readingTool({
    name: "list_templates",
    title: "Templates",
    description: "Templates that create_app can begin from.",
    operations: ["listTemplates"],
    input: z.strictObject({}),
    async run({ service }) {
      const { templates } = await answerOf(service.GET("/api/templates"));
      return templates.map(({ slug, description }) => `${slug}: ${asWord(description)}`).join("\n");
    },
  }),
];
