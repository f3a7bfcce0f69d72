import type { components } from "svc-cli/gen/api.ts";

/** Answers of the control plane: those of the public API by its description, and what lies under /auth, which is for pages alone. */
type Schemas = components["schemas"];

export type App = Schemas["App"];
export type Team = Schemas["Team"];
export type Member = Schemas["Member"];
export type Invitation = Schemas["Invitation"];
export type Deploy = Schemas["Deploy"];
export type DeployStep = Schemas["DeployStep"];
export type Comparison = Schemas["Comparison"];
export type Plan = Schemas["Plan"];
export type Metrics = Schemas["AppMetrics"];
export type Role = Schemas["Role"];
export type Server = Schemas["Server"];
export type OpenDeploy = Schemas["OpenDeploy"];
export type AppOnServer = Schemas["AppOnServer"];
export type AnyTeam = Schemas["AnyTeam"];
export type Tier = Schemas["Tier"];
export type Activity = Schemas["Activity"];
export type Conversation = Schemas["Conversation"];
export type Message = Schemas["Message"];
export type Part = Schemas["MessagePart"];
export type Card = Schemas["Card"];
export type ChatState = Schemas["Chat"];
export type Delivery = Schemas["WebhookDelivery"];

export interface Person {
  id: string;
  email: string;
  email_verified: boolean;
  name: string;
  second_factor: boolean;
  has_password: boolean;
  /** Whether they run the service, and see its servers and all teams. */
  operator: boolean;
}

export interface Session {
  id: string;
  /** Whether it is the one that asks. */
  current: boolean;
  created_at: string;
  expires_at: string;
  address: string | null;
  user_agent: string | null;
}

/** A service that signs people in, by OpenID Connect. */
export interface Provider {
  id: string;
  name: string;
}

export interface Connection {
  id: string;
  /** null: one that the operator has taken away. */
  provider: string | null;
  name: string;
  created_at: string;
}

export interface Connections {
  providers: Provider[];
  connections: Connection[];
}

export interface Key {
  id: string;
  name: string;
  prefix: string;
  team_id: string;
  /** null: all. */
  scopes: string[] | null;
  /** Names; null: all. */
  apps: string[] | null;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
}

export interface Passkey {
  id: string;
  name: string;
  /** Whether it is kept at more than one place. */
  backed_up: boolean;
  created_at: string;
  last_used_at: string | null;
}

/** The purpose of an invitation's link. */
export interface Invited {
  email: string;
  team: { name: string; role: Role; invited_by: string | null } | null;
}

/** A request of a device for a key, which waits for its person. */
export interface DeviceRequest {
  request: {
    client: string;
    user_code: string;
    device_name: string | null;
    scopes: string[] | null;
    address: string;
    created_at: string;
  };
  teams: { id: string; name: string; role: Role }[];
  /** Id of the team to propose. */
  team: string | null;
}

/** A program's request for a key, which waits for its person. */
export interface AuthorizationRequest {
  client: {
    /** As it calls itself. */
    name: string;
    /** Where the answer goes. */
    host: string;
    on_this_machine: boolean;
  };
  scopes: string[];
  /** Each with those of the scopes that the person's role allows there. */
  teams: { id: string; name: string; role: Role; scopes: string[] }[];
  /** Id of the team to propose. */
  team: string;
}
