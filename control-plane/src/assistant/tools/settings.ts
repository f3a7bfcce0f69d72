import { z } from "@hono/zod-openapi";
import { asWord } from "../as-data.ts";
import { answerOf, done, refusalOf } from "../service.ts";
import { appName, changingTool, domainName, readingTool, variableName } from "../tool.ts";

export const settingTools = [
  readingTool({
    name: "list_variables",
    title: "Names of variables",
    description: "Names of an app's variables. Their values are never shown here.",
    operations: ["listVariables"],
    input: z.strictObject({ app: appName }),
    async run({ service }, { app: name }) {
      const params = { path: { name } };
      const { variables } = await answerOf(service.GET("/api/apps/{name}/variables", { params }));
      const names = variables.map(({ name: key, sealed }) => (sealed ? `${key} (sealed)` : key));
      return names.length === 0 ? "It has no variables." : names.join("\n");
    },
  }),
  changingTool({
    name: "set_variables",
    title: "Set variables",
    description: "Writes variables of an app; all others stay. They apply on the next deploy.",
    effect: "changes",
    operations: ["putEnv"],
    input: z.strictObject({ app: appName, variables: z.record(variableName, z.string()) }),
    intent: ({ app, variables }) => ({
      sentence: `set ${Object.keys(variables)
        .map((key) => asWord(key))
        .join(", ")} of ${app}`,
      request: { method: "PUT", path: `/api/apps/${app}/env`, body: { env: variables } },
    }),
    async run({ service }, { app: name, variables: env }) {
      const { updated } = await answerOf(
        service.PUT("/api/apps/{name}/env", { params: { path: { name } }, body: { env } }),
      );
      return `Wrote ${updated} variables of ${name}. Next: deploy, so that they apply.`;
    },
  }),
  changingTool({
    name: "delete_variable",
    title: "Delete a variable",
    description: "Deletes one variable of an app. It applies on the next deploy.",
    effect: "destroys",
    operations: ["deleteEnv"],
    input: z.strictObject({ app: appName, variable: variableName }),
    intent: ({ app, variable }) => ({
      sentence: `delete the variable ${asWord(variable)} of ${app}`,
      request: { method: "DELETE", path: `/api/apps/${app}/env/${encodeURIComponent(variable)}` },
    }),
    async run({ service }, { app: name, variable: key }) {
      await done(service.DELETE("/api/apps/{name}/env/{KEY}", { params: { path: { name, KEY: key } } }));
      return `Deleted ${asWord(key)} of ${name}. Next: deploy, so that it applies.`;
    },
  }),
  readingTool({
    name: "list_domains",
    title: "Domains of an app",
    description: "Custom domains of an app, with what each of them still needs.",
    operations: ["listDomains", "readDomain"],
    input: z.strictObject({ app: appName }),
    async run({ service }, { app: name }) {
      const { domains } = await answerOf(service.GET("/api/apps/{name}/domains", { params: { path: { name } } }));
      const told = domains.map(async (domain) => {
        const params = { path: { name, domain } };
        const { status, missing = [] } = await answerOf(service.GET("/api/apps/{name}/domains/{domain}", { params }));
        return [`${domain}: ${status}`, ...missing.map(({ part, detail }) => `${part}: ${asWord(detail, 500)}`)].join(
          "; ",
        );
      });
      return domains.length === 0 ? "It has no custom domain." : (await Promise.all(told)).join("\n");
    },
  }),
  changingTool({
    name: "add_domain",
    title: "Add a domain",
    description: "Attaches a domain. Unless it is proven yet, the answer names the TXT record to publish first.",
    effect: "changes",
    operations: ["addDomain"],
    input: z.strictObject({ app: appName, domain: domainName }),
    intent: ({ app, domain }) => ({
      sentence: `attach ${asWord(domain)} to ${app}`,
      request: { method: "POST", path: `/api/apps/${app}/domains`, body: { domain } },
    }),
    async run({ service }, { app: name, domain }) {
      const { data, error, response } = await service.POST("/api/apps/{name}/domains", {
        params: { path: { name } },
        body: { domain },
      });
      if (data) return `Attached ${data.domain}. Next: list_domains shows its certificate.`;
      if (error.txt_record === undefined) throw refusalOf(response, error);
      return `Not proven yet. Publish TXT ${error.txt_record} with the value ${error.txt_value}, then add_domain again.`;
    },
  }),
];
