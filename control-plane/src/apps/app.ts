/** States of an app. The diagram is in control-plane/README.md. */
export const APP_STATUSES = ["deploying", "running", "failed", "stopped", "soft_stopped"] as const;
export type AppStatus = (typeof APP_STATUSES)[number];
