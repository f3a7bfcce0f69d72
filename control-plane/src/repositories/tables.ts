import type { Generated } from "kysely";

/** The tables as the migrations leave them; meanings are in the migrations' comments. */
declare module "../platform/database/schema.ts" {
  interface Database {
    repositories: {
      id: string;
      owner_id: string;
      name: string;
      app_id: string | null;
      head_sha: string | null;
      asked_for_at: Generated<Date>;
      created_at: CreatedAt;
    };
  }
}
