import type { Generated } from "kysely";

/** The tables as the migrations leave them; meanings are in the migrations' comments. */
declare module "../platform/database/schema.ts" {
  interface Database {
    domains: {
      domain: string;
      app_id: string;
      created_at: CreatedAt;
      leads_here: Generated<boolean>;
      active: Generated<boolean>;
      owner_proven: Generated<boolean>;
      owner_checked_at: Generated<Date>;
      next_check_at: Generated<Date>;
    };
  }
}
