/** States of an app. The diagram is in control-plane/README.md. */
export const APP_STATUSES = ["deploying", "running", "failed", "stopped", "soft_stopped"] as const;
export type AppStatus = (typeof APP_STATUSES)[number];

/** A registered app is promised its first deploy. */
export const FIRST_STATUS: AppStatus = "deploying";

/**
 * Each change of an app's status: where it may happen, and what may follow. Every statement that writes a status names the
 * change, and writes nothing elsewhere.
 */
export const STATUS_CHANGES = {
  deployStarted: { from: APP_STATUSES, to: ["deploying"] },
  /** A rollback, too, which has left the status as it was until then. */
  deploySucceeded: { from: APP_STATUSES, to: ["running"] },
  deployFailed: { from: ["deploying"], to: ["running", "stopped", "soft_stopped", "failed"] },
  /** By its owner, or as its agent observed it. */
  startedOrStopped: { from: ["running", "stopped"], to: ["running", "stopped"] },
  serverRemoved: { from: ["running", "stopped"], to: ["failed"] },
  deleted: { from: APP_STATUSES, to: ["soft_stopped"] },
} as const satisfies Record<string, { from: readonly AppStatus[]; to: readonly AppStatus[] }>;

export type StatusChange = keyof typeof STATUS_CHANGES;
export type StatusAfter<C extends StatusChange> = (typeof STATUS_CHANGES)[C]["to"][number];

/**
 * The status that a deploy or a rollback without success leaves: a live release keeps serving and a stopped one stays, and the app's status
 * with it. An app that its owner had removed stays so when its deploy is canceled. Any other
 * has failed: `deploying` without a deploy would promise what never comes.
 * @param former the status before the deploy
 */
export function statusWithout(
  deploy: "failed" | "canceled",
  app: Pick<AppRow, "status" | "current_release_id">,
  former: AppStatus | null,
): StatusAfter<"deployFailed"> {
  // A rollback has left it as it was.
  if (app.status !== "deploying") return app.status;
  // A release that was live went with its server, when that was removed meanwhile.
  if (former === "running" || former === "stopped") return app.current_release_id === null ? "failed" : former;
  return deploy === "canceled" && former === "soft_stopped" ? former : "failed";
}

/** Why the platform has stopped an app, as the API shows it. */
export interface PlatformStop {
  reason: string;
  /** A sentence for the owner. */
  detail: string;
  /** ISO 8601. */
  at: string;
}

/** An app on one server, which may be another than the one where it lives. */
export interface AppOnServer {
  appId: string;
  serverId: string;
}

/** The columns by which rules are decided. */
export interface AppRow {
  id: string;
  owner_id: string;
  name: string;
  status: AppStatus;
  repo_url: string | null;
  server_id: string | null;
  /** The release that is live, or would be if the app were started; null when there is none. */
  current_release_id: string | null;
}

export const APP_COLUMNS = ["id", "owner_id", "name", "status", "repo_url", "server_id", "current_release_id"] as const;
