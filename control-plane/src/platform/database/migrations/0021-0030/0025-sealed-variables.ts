/** A variable may be sealed: nobody reads its value again, only the app does. */
export const sealedVariables = {
  version: 25,
  name: "sealed_variables",
  sql: `
alter table env_vars
  -- stays until the variable is deleted
  add column sealed boolean not null default false;
`,
} as const;
