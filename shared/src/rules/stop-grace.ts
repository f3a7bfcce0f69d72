/** Time between SIGTERM and SIGKILL, by role; a database writes its checkpoint in it. */
export const GRACE_SECONDS = { app: 10, database: 30 } as const;
