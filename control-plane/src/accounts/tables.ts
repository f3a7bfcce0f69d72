import type { Role } from "../platform/role.ts";
import type { MailKind } from "./mail/mail-text.ts";
import type { Generated } from "kysely";

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
      name: Generated<string>;
      image: string | null;
      email_verified: Generated<boolean>;
      two_factor_enabled: Generated<boolean>;
      updated_at: Generated<Date>;
      deleted_at: Date | null;
      is_operator: Generated<boolean>;
    };
    teams: {
      id: string;
      name: string;
      user_id: string | null;
      tier: string | null;
      created_at: CreatedAt;
      pools: Generated<string[]>;
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
    sessions: {
      id: string;
      user_id: string;
      token: string;
      expires_at: Date;
      ip_address: string | null;
      user_agent: string | null;
      created_at: CreatedAt;
      updated_at: Generated<Date>;
    };
    accounts: {
      id: string;
      user_id: string;
      provider_id: string;
      account_id: string;
      password: string | null;
      created_at: CreatedAt;
      updated_at: Generated<Date>;
    };
    verifications: {
      id: string;
      identifier: string;
      value: string;
      address: string | null;
      expires_at: Date;
      created_at: CreatedAt;
      updated_at: Generated<Date>;
    };
    two_factors: {
      user_id: string;
      secret: Buffer;
      confirmed_at: Date | null;
      last_step: Generated<string>;
      recovery_codes: Buffer[];
      created_at: CreatedAt;
    };
    passkeys: {
      id: string;
      user_id: string;
      credential_id: Buffer;
      public_key: Buffer;
      counter: string;
      transports: string[];
      name: string;
      backed_up: boolean;
      created_at: CreatedAt;
      last_used_at: Date | null;
    };
    passkey_challenges: {
      challenge: Buffer;
      user_id: string | null;
      expires_at: Date;
    };
    auth_rate_limits: {
      key: Buffer;
      tokens: number;
      updated_at: Date;
    };
    oidc_attempts: {
      token_hash: Buffer;
      provider: string;
      redirect_to: string;
      user_id: string | null;
      created_at: CreatedAt;
      expires_at: Date;
    };
    device_codes: {
      id: string;
      code_hash: Buffer;
      user_code: string;
      device_name: string | null;
      wanted_team: string | null;
      scopes: string[] | null;
      address: string;
      status: Generated<"pending" | "approved" | "denied">;
      user_id: string | null;
      team_id: string | null;
      interval_seconds: number;
      polled_at: Date | null;
      created_at: CreatedAt;
      expires_at: Date;
    };
    oauth_clients: {
      id: string;
      name: string;
      redirect_uris: string[];
      address: string;
      created_at: CreatedAt;
      used_at: Date | null;
    };
    oauth_codes: {
      code_hash: Buffer;
      client_id: string;
      user_id: string;
      team_id: string;
      scopes: string[];
      redirect_uri: string;
      challenge: string;
      created_at: CreatedAt;
      expires_at: Date;
      used_at: Date | null;
      key_id: string | null;
    };
    invitations_to_join: {
      id: string;
      email: string;
      token_hash: Buffer;
      expires_at: Date;
      used_at: Date | null;
      created_at: CreatedAt;
    };
  }
}
