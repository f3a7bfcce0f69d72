import type { Client } from "@connectrpc/connect";
import type { AgentService } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";

export type AgentClient = Client<typeof AgentService>;

/** The agents that this process holds a link to. */
export interface AgentLinks {
  /** Calls the server over whichever link is its newest when the call begins; undefined while it is away. */
  agent(serverId: string): AgentClient | undefined;
  linkedServers(): string[];
  /** Is called after a link came up or went down, with the server's id. Returns the unsubscribe function. */
  onChange(listener: (serverId: string) => void): () => void;
}

/** Encrypts values at rest with AES-256-GCM. */
export interface KeyRing {
  /** @param context what the value belongs to; it opens only with the same (`env:<app id>:<key>`). */
  seal(plaintext: string, context: string): Buffer;
  /** @throws SvcError internal when the value was changed, moved, or sealed with a key that is not in the ring */
  open(sealed: Buffer, context: string): string;
}

export const sealContext = {
  env: (appId: string, key: string): string => `env:${appId}:${key}`,
  databasePassword: (appId: string): string => `database-password:${appId}`,
  databaseUrl: (appId: string): string => `database-url:${appId}`,
  deployKey: (appId: string): string => `deploy-key:${appId}`,
  webhookSecret: (webhookId: string): string => `webhook-secret:${webhookId}`,
  mailBody: (mailId: string): string => `mail-body:${mailId}`,
  releaseEnv: (deployId: string): string => `release-env:${deployId}`,
  deployInputs: (deployId: string): string => `deploy-inputs:${deployId}`,
  gitTokenKey: (): string => "installation:git-token-key",
  sessionSecret: (): string => "installation:session-secret",
  /** Sealed values of this kind are in no database: a client carries them. */
  confirmation: (keyId: string): string => `confirmation:${keyId}`,
  secondFactor: (userId: string): string => `second-factor:${userId}`,
  card: (cardId: string): string => `card:${cardId}`,
  conversationValues: (messageId: string): string => `conversation-values:${messageId}`,
  cardKey: (): string => "installation:card-key",
} as const;

/** Checks of a domain, as it is seen from outside of the platform. */
export interface DomainChecks {
  /** The record's values, none while there is no such record; `trouble` when the name servers could not say. */
  txt(record: string): Promise<TxtAnswer>;
  /**
   * A verified TLS handshake with the domain's own address, within 10 s. The addresses of `ownName`, a name of the
   * platform's, may be reached in any case; all others only when the outbound rules allow it.
   */
  handshake(domain: string, ownName: string): Promise<Handshake>;
  /** Whether every address of the domain is this server's proxy, which has a certificate of the root. */
  address(domain: string, server: { ownName: string; rootPem: string }): Promise<AddressAnswer>;
}

/** `detail` says why it does not; `trouble`, that nobody could say, which is to be asked again. */
export type AddressAnswer = { leadsHere: true } | { leadsHere: false; detail: string; trouble: boolean };

export interface TxtAnswer {
  values: string[];
  trouble?: string;
}

export type Handshake = { cert: { issuer: string; notAfter: Date; dnsNames: string[] } } | { error: string };

/** PostgreSQL's NOTIFY, heard on one connection per process. */
export interface Notifications {
  /** `listener` is called with the payload after commit; with undefined after a reconnect, when some may be lost. */
  subscribe(channel: Channel, listener: (payload: string | undefined) => void): () => void;
  /** False from the moment that the connection is seen to be lost until a new one listens. */
  readonly listening: boolean;
}

/**
 * deploy_queue: a server's id, or empty when none is known. deploy_events: a deploy's id. pushes: an app's id.
 * deploy_cancel: the id of a running deploy that is to be canceled.
 * routes: the id of an app whose host names changed.
 * servers: the id of a server that joined, was changed or removed. webhooks: empty; a delivery is due.
 * credentials: empty; a key or a user was changed or deleted. mails: empty; a mail is to be sent.
 */
export type Channel =
  | "deploy_queue"
  | "pushes"
  | "deploy_events"
  | "deploy_cancel"
  | "servers"
  | "webhooks"
  | "routes"
  | "credentials"
  | "mails";
