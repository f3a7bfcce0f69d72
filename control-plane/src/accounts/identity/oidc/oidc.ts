import type { Logger } from "@svc/shared/platform/logger.ts";
import { OutboundError } from "@svc/shared/net/guarded-fetch.ts";
import { createBoundedFetch, type ProviderGuards } from "./bounded-fetch.ts";
import type { ProviderClient } from "./provider-client.ts";
import type { OidcProvider } from "./provider.ts";
import { Refused } from "./refused.ts";

/** Each call to a provider; a sign-in makes at most four. */
const ANSWER_MS_MAX = 5_000;

export interface OidcParts extends ProviderGuards {
  /** In the order of the operator's file. */
  providers: readonly OidcProvider[];
  /** How long one answer of a provider may take. */
  timeoutMs?: number;
}

export interface Oidc {
  readonly providers: readonly OidcProvider[];
  /** @throws Refused for an id that is none */
  find(id: string): OidcProvider;
  /** Loads what speaks the protocol, once, and asks nobody yet. */
  client(provider: OidcProvider): Promise<ProviderClient>;
}

export function createOidc(parts: OidcParts & { log: Logger; readonly baseUrl: string }): Oidc {
  const { providers, log, timeoutMs = ANSWER_MS_MAX } = parts;
  const clients = new Map<string, ProviderClient>();

  async function load(provider: OidcProvider): Promise<ProviderClient> {
    const { createProviderClient } = await import("./protocol.ts");
    const fetch = createBoundedFetch(provider.issuer, parts, timeoutMs);
    const client = createProviderClient({
      provider,
      fetch,
      redirectUri: redirectUri(parts.baseUrl, provider),
      timeoutMs,
    });
    return refusing(client, (reason, error) =>
      log.warn({ provider: provider.id, reason, cause: storyOf(error) }, "a sign-in at a provider failed"),
    );
  }

  return {
    providers,
    find(id) {
      const provider = providers.find((each) => each.id === id);
      if (!provider) throw new Refused("unknown");
      return provider;
    },
    async client(provider) {
      const client = clients.get(provider.id) ?? (await load(provider));
      // Of two that were loaded at a time the first stays, with what it has learned.
      clients.set(provider.id, clients.get(provider.id) ?? client);
      return clients.get(provider.id) ?? client;
    },
  };
}

/** Is registered at the provider, so it stays. */
function redirectUri(baseUrl: string, { id }: OidcProvider): string {
  return `${baseUrl}/auth/oidc/${id}/callback`;
}

type Report = (reason: Refused["reason"], error: unknown) => void;

/** Whatever goes wrong between a provider and us is for the operator's log; the person hears a reason. */
function refusing(client: ProviderClient, report: Report): ProviderClient {
  async function refuse<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      const reason = reasonOf(error);
      report(reason, error);
      throw new Refused(reason, { cause: error });
    }
  }
  return {
    signInAddress: (attempt) => refuse(client.signInAddress(attempt)),
    async proveSubject(answer, attempt) {
      const proven = await refuse(client.proveSubject(answer, attempt));
      return { ...proven, readProfile: () => refuse(proven.readProfile()) };
    },
  };
}

/** Codes of openid-client for answers that are no part of the protocol at all. */
const OUTAGES = new Set([
  "OAUTH_TIMEOUT",
  "OAUTH_ABORT",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_PARSE_ERROR",
]);

function reasonOf(error: unknown): Refused["reason"] {
  const errors = chainOf(error);
  if (errors.some((each) => each instanceof OutboundError || OUTAGES.has(String(Reflect.get(each, "code"))))) {
    return "unreachable";
  }
  return errors.some((each) => Reflect.get(each, "error") === "access_denied") ? "denied" : "unproven";
}

/** The messages, and the provider's own words; never an answer itself, which may hold tokens. */
function storyOf(error: unknown): string {
  const words = chainOf(error).flatMap((each) => [
    each.message,
    Reflect.get(each, "error"),
    Reflect.get(each, "error_description"),
  ]);
  return words
    .filter((word) => typeof word === "string")
    .join(": ")
    .slice(0, 500);
}

function chainOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...chainOf(error.cause)] : [];
}
