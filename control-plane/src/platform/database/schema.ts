import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from "kysely";
import type { ErrorCode } from "@svc/shared/errors.ts";
import type { RecordedHealth } from "../../apps/app-health.ts";
import type { AppStatus } from "../../apps/app.ts";
import type { DeployStatus, StepName, StepStatus } from "../../deploys/deploy.ts";
import type { WebhookEvent } from "../../webhooks/webhook.ts";
import type { TakenBack } from "../../deploys/releases/taken-back.ts";

type PlatformStopColumn = ColumnType<{ reason: string; detail: string; at: string } | null, undefined, string>;

/** The tables as the migrations leave them; meanings are in the migrations' comments. */
export interface Database {
  users: {
    id: string;
    email: string;
    email_verified_at: Date | null;
    tier: string;
    created_at: CreatedAt;
  };
  api_keys: {
    id: string;
    user_id: string;
    name: string;
    prefix: string;
    hash: Buffer;
    scopes: string[] | null;
    apps: string[] | null;
    created_at: CreatedAt;
    last_used_at: Date | null;
    expires_at: Date | null;
    revoked_at: Date | null;
  };
  servers: {
    id: string;
    name: string;
    state: ServerState;
    listen_address: string | null;
    agent_version: string | null;
    created_at: CreatedAt;
    joined_at: Date | null;
    removed_at: Date | null;
    link_process_id: string | null;
    link_until: Date | null;
    status: Json | null;
    status_at: Date | null;
    host_key: Buffer | null;
  };
  server_hearings: {
    server_id: string;
    heard_at: Date;
  };
  join_tokens: {
    hash: Buffer;
    server_id: string;
    expires_at: Date;
    used_at: Date | null;
  };
  apps: {
    id: string;
    owner_id: string;
    name: string;
    status: AppStatus;
    repo_url: string | null;
    root: Generated<string | null>;
    framework: string | null;
    port: number | null;
    detected_framework: string | null;
    detected_port: number | null;
    needs_database: Generated<boolean>;
    database_name: string | null;
    server_id: string | null;
    current_release_id: string | null;
    deploy_count: Generated<number>;
    template: string | null;
    deploy_on_push: Generated<boolean>;
    pushed_sha: string | null;
    pushed_by_key: string | null;
    platform_stop: PlatformStopColumn;
    platform_stop_holds: Generated<boolean>;
    health: ColumnType<RecordedHealth | null, undefined, string>;
    is_told_unhealthy: Generated<boolean>;
    created_at: CreatedAt;
    updated_at: Generated<Date>;
    last_deployed_at: Date | null;
  };
  env_vars: {
    app_id: string;
    key: string;
    value: Buffer;
    updated_at: Generated<Date>;
  };
  app_databases: {
    app_id: string;
    version: string;
    role: string;
    password: Buffer;
    url: Buffer | null;
    created_at: CreatedAt;
  };
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
    kind: Generated<"deploy" | "rollback">;
    target_release_id: string | null;
    error_code: ErrorCode | null;
    former_app_status: AppStatus | null;
    /** Sealed; null unless it runs. */
    inputs: Buffer | null;
    /** Of its lines and progress in `deploy_events`; null when none of its events are left. */
    log_bytes: ColumnType<string | null, string | undefined, string | null>;
    output_bytes: Generated<string>;
    taken_back: ColumnType<TakenBack | null, undefined, string>;
  };
  repositories: {
    id: string;
    owner_id: string;
    name: string;
    app_id: string | null;
    head_sha: string | null;
    asked_for_at: Generated<Date>;
    created_at: CreatedAt;
  };
  deploy_keys: {
    app_id: string;
    public_key: string;
    fingerprint: string;
    private_key: Buffer;
    created_at: CreatedAt;
  };
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
  webhooks: {
    id: string;
    app_id: string;
    url: string;
    secret: Buffer;
    events: ColumnType<WebhookEvent[], readonly WebhookEvent[] | undefined, never>;
    created_at: CreatedAt;
  };
  webhook_deliveries: {
    id: string;
    webhook_id: string;
    event: WebhookEvent;
    body: Buffer;
    status: "pending" | "delivered" | "failed";
    attempts: Generated<number>;
    next_attempt_at: Date | null;
    claimed_until: Date | null;
    response_status: number | null;
    error: string | null;
    created_at: CreatedAt;
    finished_at: Date | null;
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
  write_buckets: RateBuckets;
  read_buckets: RateBuckets;
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
    /** bigint: pg gives a string. */
    memory_bytes: string | null;
    cpu_millis: number | null;
    command: string[] | null;
    image_kept: Generated<boolean>;
    created_at: CreatedAt;
  };
  idempotency_keys: {
    user_id: string;
    method: string;
    path: string;
    key: string;
    body_hash: Buffer;
    response_status: number | null;
    response_body: string | null;
    claim_id: string;
    claimed_at: Generated<Date>;
    created_at: CreatedAt;
  };
  used_releases: {
    app_id: string;
    digest: string;
    deploy_seq: string;
  };
  audit_log: {
    id: GeneratedAlways<string>;
    at: CreatedAt;
    actor: string;
    action: string;
    target: string;
    request_id: string | null;
    owner_id: string | null;
    detail: ColumnType<Record<string, unknown>, string | undefined, never>;
  };
  installation: {
    name: string;
    value: Buffer;
  };
}

export type ServerState = "joining" | "active" | "draining" | "removed";

type CreatedAt = ColumnType<Date, Date | undefined, never>;
type Json = JSONColumnType<Record<string, unknown>>;

interface RateBuckets {
  user_id: string;
  tokens: number;
  updated_at: Date;
}
