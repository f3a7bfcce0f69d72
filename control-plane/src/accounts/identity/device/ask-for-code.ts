import { newId } from "@svc/shared/rules/ids.ts";
import { hasControlCharacter, quoted } from "../../../platform/invalid.ts";
import type { Form } from "../../../platform/http/form.ts";
import { isScope, SCOPES, type Scope } from "../../../platform/scope.ts";
import { limitAttempts } from "../attempts/limit-attempts.ts";
import type { Identity } from "../identity.ts";
import { hashToken, makeToken } from "../one-time-token.ts";
import type { Visit } from "../sessions/session.ts";
import { requireOwnClient } from "./client.ts";
import { DEVICE_CODE_SECONDS, makeUserCode, POLL_SECONDS, showUserCode } from "./device-code.ts";
import { insertDeviceCode } from "./device-codes.store.ts";
import { OAuthError } from "./oauth-error.ts";

const TEXT_LENGTH_MAX = 100;
/** With 20 open codes of a network, and 25,600 million codes, a second attempt is a curiosity. */
const ATTEMPTS_MAX = 5;

/**
 * Begins a device flow (RFC 8628, sections 3.1 and 3.2). The form holds `client_id`, and may hold `scope`, `device_name`
 * and `team`, the id or name of the team that the page proposes.
 * @throws OAuthError invalid_request, invalid_client, invalid_scope; SvcError rate_limited
 */
export async function askForCode({ db, baseUrl }: Identity, visit: Visit, form: Form) {
  requireOwnClient(form);
  const [deviceName, wantedTeam, scopes] = [readText(form, "device_name"), readText(form, "team"), readScopes(form)];
  await limitAttempts(db, "deviceCode", visit.address);
  const deviceCode = makeToken();
  const request = { codeHash: hashToken(deviceCode), deviceName, wantedTeam, scopes, address: visit.address };
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const userCode = makeUserCode();
    if (!(await insertDeviceCode(db, { ...request, id: newId(), userCode, seconds: DEVICE_CODE_SECONDS }))) continue;
    const shown = showUserCode(userCode);
    return {
      device_code: deviceCode,
      user_code: shown,
      verification_uri: `${baseUrl}/device`,
      verification_uri_complete: `${baseUrl}/device?user_code=${shown}`,
      expires_in: DEVICE_CODE_SECONDS,
      interval: POLL_SECONDS,
    };
  }
  throw new Error("no user code was free");
}

function readText(form: Form, name: string): string | null {
  const text = form.get(name)?.trim();
  if (text === undefined || text === "") return null;
  if (text.length <= TEXT_LENGTH_MAX && !hasControlCharacter(text)) return text;
  throw new OAuthError(
    "invalid_request",
    `${name} must be one line of ${TEXT_LENGTH_MAX} characters at most, and none of them may turn the direction of writing.`,
  );
}

function readScopes(form: Form): Scope[] | null {
  const scopes = form.get("scope")?.split(" ");
  const wrong = scopes?.find((scope) => !isScope(scope));
  if (wrong !== undefined) {
    throw new OAuthError("invalid_scope", `${quoted(wrong)} is not a scope: use some of ${SCOPES.join(", ")}.`);
  }
  return scopes === undefined ? null : [...new Set(scopes.filter(isScope))];
}
