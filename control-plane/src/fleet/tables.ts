import type { ColumnType, Generated } from "kysely";
import type { ServerState } from "./server.ts";

/** The tables as the migrations leave them; meanings are in the migrations' comments. */
declare module "../platform/database/schema.ts" {
  interface Database {
    servers: {
      id: string;
      name: string;
      state: ServerState;
      listen_address: string | null;
      agent_version: string | null;
      created_at: CreatedAt;
      joined_at: Date | null;
      removed_at: Date | null;
      left_at: ColumnType<Date | null, undefined, Date>;
      link_process_id: string | null;
      link_until: Date | null;
      status: Json | null;
      status_at: Date | null;
      host_key: Buffer | null;
      certificate_until: Date | null;
      pool: Generated<string>;
      labels: Generated<string[]>;
      address: string | null;
      linked_from: string | null;
    };
    server_hearings: {
      server_id: string;
      heard_at: Date;
    };
    agent_upgrades: {
      server_id: string;
      state: "running" | "done" | "failed";
      version: string | null;
      taken_at: Date | null;
      reason: string | null;
      began_at: Generated<Date>;
      ended_at: Date | null;
    };
    join_tokens: {
      hash: Buffer;
      server_id: string;
      expires_at: Date;
      used_at: Date | null;
    };
  }
}
