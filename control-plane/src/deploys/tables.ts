import type { ErrorCode } from "@svc/shared/errors.ts";
import type { ColumnType, Generated, GeneratedAlways } from "kysely";
import type { AppStatus } from "../apps/app.ts";
import type { StepName } from "@svc/shared/rules/steps.ts";
import type { DeployKind, DeployStatus, StepStatus } from "./deploy.ts";
import type { TakenBack } from "./releases/taken-back.ts";

/** The tables as the migrations leave them; meanings are in the migrations' comments. */
declare module "../platform/database/schema.ts" {
  interface Database {
    deploys: {
      id: string;
      /** Null once the app was purged; only the janitor asks for those. */
      app_id: string;
      user_id: string;
      server_id: string | null;
      /** bigint: pg gives a string, and orders by it are made in SQL. */
      seq: GeneratedAlways<string>;
      status: DeployStatus;
      ref: string | null;
      release: string;
      commit_sha: string | null;
      error: string | null;
      created_at: CreatedAt;
      started_at: Date | null;
      finished_at: Date | null;
      cancel_requested_at: Date | null;
      attempt: Generated<number>;
      worker_id: string | null;
      lease_until: Date | null;
      event_count: Generated<string>;
      kind: Generated<DeployKind>;
      target_release_id: string | null;
      moves_from: ColumnType<string | null, string | undefined, never>;
      is_operators: Generated<boolean>;
      error_code: ErrorCode | null;
      former_app_status: AppStatus | null;
      /** Is sealed; null unless it runs. */
      inputs: Buffer | null;
      /** Counts its lines and progress in `deploy_events`; null when none of its events are left. */
      log_bytes: ColumnType<string | null, string | undefined, string | null>;
      output_bytes: Generated<string>;
      taken_back: ColumnType<TakenBack | null, undefined, string>;
    };
    app_databases: {
      app_id: string;
      version: string;
      role: string;
      password: Buffer;
      url: Buffer | null;
      created_at: CreatedAt;
    };
    deploy_steps: {
      deploy_id: string;
      step_order: number;
      step_name: StepName;
      status: StepStatus;
      output: string | null;
      error: string | null;
      error_code: ErrorCode | null;
      started_at: Date | null;
      finished_at: Date | null;
      run: Generated<number>;
      last_event_number: Generated<string>;
      undo_registered_at: Date | null;
      undone_at: Date | null;
      result: Json | null;
    };
    deploy_events: {
      deploy_id: string;
      number: string;
      step_order: number | null;
      kind: "log" | "progress" | "step" | "deploy" | "taken_back";
      payload: Json;
      created_at: CreatedAt;
    };
    releases: {
      id: string;
      /** Null as its deploy's. */
      app_id: string;
      deploy_id: string;
      name: string;
      image_digest: string;
      commit_sha: string;
      framework: string;
      port: number;
      env: Buffer;
      sealed: Generated<string[]>;
      written_at: Generated<Record<string, string>>;
      /** bigint: pg gives a string. */
      memory_bytes: string | null;
      cpu_millis: number | null;
      command: string[] | null;
      image_kept: Generated<boolean>;
      created_at: CreatedAt;
    };
    used_releases: {
      app_id: string;
      digest: string;
      deploy_seq: string;
    };
  }
}
