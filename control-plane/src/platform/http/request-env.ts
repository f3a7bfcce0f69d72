/** The variables of a request from its first to its last line. */
export interface RequestEnv {
  Variables: {
    requestId: string;
    event: RequestEvent;
  };
}

/** The one wide event that is logged of a request. */
export interface RequestEvent {
  route?: string;
  userId?: string;
  keyId?: string;
  /** The response has its request id already. */
  hasId?: true;
  /** Code of the error that was answered. */
  error?: string;
  /** The error, when it is our fault. */
  err?: unknown;
}
