import type { ColumnType, Generated } from "kysely";
import type { AppStatus } from "./app.ts";
import type { RecordedHealth } from "./health/app-health.ts";

type PlatformStopColumn = ColumnType<{ reason: string; detail: string; at: string } | null, undefined, string>;

/** The tables as the migrations leave them; meanings are in the migrations' comments. */
declare module "../platform/database/schema.ts" {
  interface Database {
    apps: {
      id: string;
      owner_id: string;
      name: string;
      status: AppStatus;
      repo_url: string | null;
      root: Generated<string | null>;
      framework: string | null;
      port: number | null;
      memory: Generated<string | null>;
      cpus: Generated<string | null>;
      detected_framework: string | null;
      detected_port: number | null;
      needs_database: Generated<boolean>;
      database_name: string | null;
      server_id: string | null;
      pool: Generated<string | null>;
      label: Generated<string | null>;
      current_release_id: string | null;
      deploy_count: Generated<number>;
      template: string | null;
      deploy_on_push: Generated<boolean>;
      pushed_sha: string | null;
      pushed_by_key: string | null;
      platform_stop: PlatformStopColumn;
      platform_stop_holds: Generated<boolean>;
      health: ColumnType<RecordedHealth | null, undefined, string | null>;
      is_told_unhealthy: Generated<boolean>;
      created_at: CreatedAt;
      updated_at: Generated<Date>;
      last_deployed_at: Date | null;
    };
    deploy_keys: {
      app_id: string;
      public_key: string;
      fingerprint: string;
      private_key: Buffer;
      created_at: CreatedAt;
    };
    env_vars: {
      app_id: string;
      key: string;
      value: Buffer;
      sealed: Generated<boolean>;
      updated_at: Generated<Date>;
    };
    app_removals: {
      app_id: string;
      app_name: string;
      server_id: string;
      purge: boolean;
      claim_id: string | null;
      claimed_until: Date | null;
      due_at: Generated<Date>;
      created_at: CreatedAt;
    };
  }
}
