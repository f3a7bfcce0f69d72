/** An app may be built from a folder of its repository. */
export const rootFolder = {
  version: 18,
  name: "root-folder",
  sql: `
-- a relative path; null for the one that the spec file names, else the repository's top
alter table apps add column root text check (root <> '');
`,
} as const;
