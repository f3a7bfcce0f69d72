import { SvcError } from "@svc/shared/errors.ts";
import type { RefusalReason } from "./refusal-reasons.ts";

/** Nobody is signed in or connected, and a page says why. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, options?: ErrorOptions) {
    super(`refused: ${reason}`, options);
    this.reason = reason;
  }
}

/** Also for a connection: whether there is a session can't be told when the database is away. */
export const FAULT_PAGE = `/sign-in?refused=${"fault" satisfies RefusalReason}`;

/** Where the browser goes on to, with the cookies that are set on the way. */
export interface Landing {
  location: string;
  cookies: string[];
}

/** The page of a sign-in, or that of a connection, which shows the reason. @param page a path, with a query if need be */
export async function unlessRefused(page: string, work: () => Promise<Landing>): Promise<Landing> {
  try {
    return await work();
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    return { location: `${page}${page.includes("?") ? "&" : "?"}refused=${reason}`, cookies: [] };
  }
}

/** Faults of ours are the route's (`FAULT_PAGE`). */
function reasonOf(error: unknown): RefusalReason | undefined {
  if (error instanceof Refused) return error.reason;
  return error instanceof SvcError && error.code === "rate_limited" ? "too_many" : undefined;
}
