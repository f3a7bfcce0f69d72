import type { Tiers } from "./tier.ts";

declare module "../platform/operation.ts" {
  interface Platform {
    tiers: Tiers;
  }
}
