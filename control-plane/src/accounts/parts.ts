import type { Session } from "./identity/sessions/session.ts";
import type { Tiers } from "./tier.ts";

declare module "../platform/operation.ts" {
  interface Platform {
    tiers: Tiers;
  }
  interface Actor {
    /** The session that asks; absent with a key. */
    session?: Session;
  }
}
