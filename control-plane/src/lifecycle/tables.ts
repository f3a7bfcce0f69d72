import type { Generated } from "kysely";

/** The tables as the migrations leave them; meanings are in the migrations' comments. */
declare module "../platform/database/schema.ts" {
  interface Database {
    evacuations: {
      server_id: string;
      state: "running" | "stopped" | "done";
      moved: Generated<number>;
      deploy_id: string | null;
      reason: string | null;
      began_at: Generated<Date>;
      ended_at: Date | null;
    };
  }
}
