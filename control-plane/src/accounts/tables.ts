import type { Role } from "../platform/role.ts";
import type { Generated } from "kysely";
import type { MailKind } from "./mail/mail-text.ts";

interface RateBuckets {
  user_id: string;
  tokens: number;
  updated_at: Date;
}

/** The tables as the migrations leave them; meanings are in the migrations' comments. */
declare module "../platform/database/schema.ts" {
  interface Database {
    users: {
      id: string;
      email: string;
      email_verified_at: Date | null;
      tier: string;
      created_at: CreatedAt;
    };
    teams: {
      id: string;
      name: string;
      user_id: string | null;
      tier: string | null;
      created_at: CreatedAt;
    };
    team_members: {
      team_id: string;
      user_id: string;
      role: Role;
      created_at: CreatedAt;
    };
    team_invitations: {
      id: string;
      team_id: string;
      email: string;
      role: Role;
      invited_by: string | null;
      token_hash: Buffer;
      expires_at: Date;
      created_at: CreatedAt;
    };
    api_keys: {
      id: string;
      user_id: string;
      team_id: string;
      name: string;
      prefix: string;
      hash: Buffer;
      scopes: string[] | null;
      apps: string[] | null;
      created_at: CreatedAt;
      last_used_at: Date | null;
      expires_at: Date | null;
      revoked_at: Date | null;
    };
    write_buckets: RateBuckets;
    read_buckets: RateBuckets;
    mails: {
      id: string;
      recipient: string;
      kind: MailKind;
      body: Buffer | null;
      created_at: CreatedAt;
      attempts: Generated<number>;
      next_attempt_at: Date | null;
      claimed_until: Date | null;
      sent_at: Date | null;
      given_up_at: Date | null;
      last_error: string | null;
    };
  }
}
