import type { Resolution } from "./app-metrics.ts";

/** The table as the migrations leave it; meanings are in the migration's comments. */
declare module "../platform/database/schema.ts" {
  interface Database {
    app_metrics: {
      app_id: string;
      step: Resolution["step"];
      slot: number;
      /** bigint, as all numbers of bytes: pg gives strings. */
      starts_at: string;
      usage_windows: number;
      cpu_ms: number | null;
      memory_bytes: string | null;
      memory_bytes_max: string | null;
      network_bytes_in: string | null;
      network_bytes_out: string | null;
      restarts: number | null;
      requests: number;
      client_errors: number;
      errors: number;
      latency_counts: number[];
    };
  }
}
