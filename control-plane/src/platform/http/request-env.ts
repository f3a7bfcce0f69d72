/** The variables of a request from its first to its last line. */
export interface RequestEnv {
  /** Given to a request that begins within the process; no request from outside has any. */
  Bindings: {
    /** The assistant that asks for its person: `mcp <client>`. */
    via?: string;
  };
  Variables: {
    requestId: string;
    event: RequestEvent;
  };
}

/** The id of whoever is signed in on the page that sends the request; undefined for a key. */
export const personOf = ({ userId, keyId }: RequestEvent): string | undefined =>
  keyId === undefined ? userId : undefined;

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
