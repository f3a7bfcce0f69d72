import { SCOPES } from "../../../platform/scope.ts";
import { CHALLENGE_METHOD } from "./code-challenge.ts";

/** The path of what is protected, below {base_url}. */
const RESOURCE_PATH = "/mcp";

export const PATHS = {
  resource: `/.well-known/oauth-protected-resource${RESOURCE_PATH}`,
  /** For clients that ask for the whole host. */
  resourceOfHost: "/.well-known/oauth-protected-resource",
  server: "/.well-known/oauth-authorization-server",
  authorize: "/authorize",
  token: "/auth/oauth/token",
  register: "/auth/oauth/register",
} as const;

/** Protected resource metadata (RFC 9728, section 2). */
export function resourceMetadata(baseUrl: string) {
  return {
    resource: `${baseUrl}${RESOURCE_PATH}`,
    authorization_servers: [baseUrl],
    scopes_supported: SCOPES,
    bearer_methods_supported: ["header"],
    resource_documentation: `${baseUrl}/api/docs`,
  };
}

/** Authorization server metadata (RFC 8414, section 2). */
export function serverMetadata(baseUrl: string) {
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}${PATHS.authorize}`,
    token_endpoint: `${baseUrl}${PATHS.token}`,
    registration_endpoint: `${baseUrl}${PATHS.register}`,
    scopes_supported: SCOPES,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code"],
    token_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: [CHALLENGE_METHOD],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${baseUrl}/api/docs`,
  };
}

/** Says to a client without a valid key where it learns how to get one (RFC 9728, 5.1; RFC 6750, 3). */
export function bearerChallenge(baseUrl: string, sent: string | undefined): string {
  const error = sent === undefined ? "" : 'error="invalid_token", ';
  return `Bearer ${error}resource_metadata="${baseUrl}${PATHS.resource}"`;
}

/** Whether a key of ours is for that resource (RFC 8707): it is for the whole service. */
export function isOurResource(baseUrl: string, resource: string): boolean {
  const plain = resource.replace(/\/$/, "");
  return plain === baseUrl || plain === `${baseUrl}${RESOURCE_PATH}`;
}
