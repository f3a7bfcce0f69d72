import { SvcError } from "@svc/shared/errors.ts";

/** Errors of a socket to an engine that is down, restarting, or not ours to talk to. */
const CONNECTION_ERRORS: ReadonlySet<string> = new Set([
  "ENOENT",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "EACCES",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "ENOTFOUND",
]);

/** The HTTP status that the engine refused with; undefined when it did not answer at all. */
export function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" ? status : undefined;
}

/** The engine's own words, without the client's decoration. */
export function engineMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const json = "json" in error ? error.json : undefined;
  const message = typeof json === "object" && json !== null && "message" in json ? json.message : undefined;
  return typeof message === "string" ? message.trim() : error.message.trim();
}

export function isConnectionError(error: unknown): error is Error & { code: string } {
  return (
    error instanceof Error && "code" in error && typeof error.code === "string" && CONNECTION_ERRORS.has(error.code)
  );
}

/** Maps whatever the client threw to one of our codes; the engine's words go to the cause, not to the user. */
export function translateEngineError(error: unknown): SvcError {
  if (error instanceof SvcError) return error;
  if (isConnectionError(error)) {
    return new SvcError(
      "engine_unavailable",
      `The server's container engine does not answer (${error.code}). Start Docker on the server, or set DOCKER_HOST ` +
        "of the agent to where it listens, then try again.",
      { cause: error },
    );
  }
  const message = engineMessage(error);
  if (/not a swarm manager|swarm does not have a leader/i.test(message)) {
    return new SvcError(
      "engine_unavailable",
      "The server's container engine can't change its swarm: it is no manager, or too many managers are away. Look at " +
        "`docker node ls` on the server, then try again.",
      { cause: error },
    );
  }
  if (/no space left on device|disk quota exceeded/i.test(message)) {
    return new SvcError(
      "disk_full",
      "The disk of the server's container engine is full. Free space on it, or remove apps, then try again.",
      { cause: error },
    );
  }
  return new SvcError("internal", "The server's container engine refused a request of ours.", { cause: error });
}

/** Resolves as `work` does, or to undefined when the engine answers with one of `statuses`. */
export async function unless<T>(statuses: readonly number[], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (statuses.includes(statusOf(error) ?? 0)) return undefined;
    throw error;
  }
}
