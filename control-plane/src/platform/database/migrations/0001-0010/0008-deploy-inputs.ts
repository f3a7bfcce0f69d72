/** Columns for the user's settings when a deploy began. */
export const deployInputs = {
  version: 8,
  name: "deploy-inputs",
  sql: `
-- sealed JSON, while a deploy runs: repository, framework, port, variables and deploy key as they were when it began
alter table deploys add column inputs bytea;
`,
} as const;
