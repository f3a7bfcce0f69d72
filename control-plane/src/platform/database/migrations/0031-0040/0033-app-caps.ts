/** An app may be given caps of its own. */
export const appCaps = {
  version: 33,
  name: "app-caps",
  sql: `
-- as a spec file writes them, such as '512m' and '0.5'; null for those of the spec file, else of the tier
alter table apps add column memory text check (memory <> ''), add column cpus text check (cpus <> '');
`,
} as const;
