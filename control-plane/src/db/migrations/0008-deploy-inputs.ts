/** What the user had set when a deploy began. */
export const deployInputs = {
  version: 8,
  name: "deploy-inputs",
  sql: `
-- sealed JSON, from a deploy's first step to its end: repository, framework, port and variables as they were when it began
alter table deploys add column inputs bytea;
`,
} as const;
