import type { Session } from "./identity/sessions/session.ts";
import type { Tiers } from "./tier.ts";

declare module "../platform/operation.ts" {
  interface Platform {
    tiers: Tiers;
    /** Whether there is a mail server; without one a mail waits in a folder of the service for an operator. */
    sendsMail: boolean;
  }
  interface Actor {
    /** The session that asks; absent with a key. */
    session?: Session;
  }
}
