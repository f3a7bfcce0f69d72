import type { Form } from "../../../platform/http/form.ts";
import { OAuthError } from "./oauth-error.ts";

/** The only client there is, as `client_id` names it. It has no secret: it runs on its user's machine. */
export const CLIENT_ID = "svc-cli";

/** @throws OAuthError invalid_request, invalid_client */
export function requireOwnClient(form: Form): void {
  const id = requireParameter(form, "client_id");
  if (id !== CLIENT_ID) throw new OAuthError("invalid_client", `No client has that id: use ${CLIENT_ID}.`);
}

/** @throws OAuthError invalid_request */
export function requireParameter(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthError("invalid_request", `The parameter ${name} is missing.`);
  return value;
}
