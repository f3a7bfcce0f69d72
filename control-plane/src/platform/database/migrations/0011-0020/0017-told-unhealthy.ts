/** A recovery shows at once and is told later. */
export const toldUnhealthy = {
  version: 17,
  name: "told-unhealthy",
  sql: `
-- whether it was told that the app is unhealthy, and not yet that it has recovered
alter table apps add column is_told_unhealthy boolean not null default false;
update apps set is_told_unhealthy = true where health ->> 'state' = 'unhealthy';
`,
} as const;
