import { recordOf } from "@svc/shared/json.ts";
import { CliError, EXIT, failed, serviceFault } from "../output/cli-error.ts";
import { VERSION } from "../runtime/version.ts";
import { patientFetch } from "./patient-fetch.ts";

/** The codes that a person needs to approve the login, and the tool to fetch its key (RFC 8628, section 3.2). */
export interface DeviceCode {
  deviceCode: string;
  userCode: string;
  verificationUri: string;
  /** The same address, with the code. */
  verificationUriComplete: string;
  expiresInSeconds: number;
  intervalSeconds: number;
}

export type PollAnswer =
  { state: "pending" | "slow_down" } | { state: "approved"; key: string; team: { id: string; name: string } };

/** The device flow of a service. */
export interface DeviceFlow {
  /** @param request.team proposed to the person, by id or name. @throws CliError */
  begin(request: { deviceName: string; team: string | undefined }): Promise<DeviceCode>;
  /** @throws CliError, access_denied or expired_token among others */
  poll(deviceCode: string, signal: AbortSignal): Promise<PollAnswer>;
  /** Revokes the key. Whether the service says so. */
  revoke(key: string): Promise<boolean>;
}

const CLIENT_ID = "svc-cli";

export function deviceFlow(url: string, onWait: (seconds: number) => void): DeviceFlow {
  const send = patientFetch({ url, onWait });
  const post = (path: string, form: Record<string, string>, init: RequestInit = {}): Promise<Response> =>
    send(
      new Request(url + path, {
        method: "POST",
        body: new URLSearchParams(form),
        ...init,
        headers: { "User-Agent": `svc/${VERSION}`, ...init.headers },
      }),
    );

  return {
    async begin({ deviceName, team }) {
      const form = { client_id: CLIENT_ID, device_name: deviceName, ...(team !== undefined && { team }) };
      const response = await post("/auth/device/code", form);
      if (response.status === 404) {
        throw failed("no_device_flow", `${url} has no login by browser. Use --key, or set SVC_API_KEY.`);
      }
      const code = await readCode(response);
      if (!code) throw unexpected(url, response.status);
      return code;
    },
    async poll(deviceCode, signal) {
      const form = {
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        client_id: CLIENT_ID,
        device_code: deviceCode,
      };
      const response = await post("/auth/device/token", form, { signal });
      const answer = await readObject(response);
      const { access_token: key, team, error } = answer;
      if (response.ok && typeof key === "string") {
        return { state: "approved", key, team: team as { id: string; name: string } };
      }
      if (error === "authorization_pending") return { state: "pending" };
      if (error === "slow_down") return { state: "slow_down" };
      throw refusal(url, response.status, answer);
    },
    async revoke(key) {
      const headers = { Authorization: `Bearer ${key}` };
      return (await post("/auth/device/revoke", {}, { headers })).ok;
    },
  };
}

async function readCode(response: Response): Promise<DeviceCode | undefined> {
  const answer = await readObject(response);
  if (typeof answer["error"] === "string") throw refusal(response.url, response.status, answer);
  const code = {
    deviceCode: answer["device_code"],
    userCode: answer["user_code"],
    verificationUri: answer["verification_uri"],
    verificationUriComplete: answer["verification_uri_complete"] ?? answer["verification_uri"],
    expiresInSeconds: answer["expires_in"],
    intervalSeconds: answer["interval"] ?? 5,
  };
  const isCode = Object.entries(code).every(([name, value]) =>
    name.endsWith("Seconds") ? Number.isFinite(value) : typeof value === "string",
  );
  return isCode ? (code as DeviceCode) : undefined;
}

async function readObject(response: Response): Promise<Readonly<Record<string, unknown>>> {
  return recordOf(await response.json().catch(() => undefined));
}

function refusal(
  url: string,
  status: number,
  { error, error_description: sentence, request_id: id }: Record<string, unknown>,
) {
  if (typeof error !== "string") return unexpected(url, status);
  if (error === "internal") return serviceFault(id);
  if (error === "access_denied" || error === "expired_token") {
    const reason = error === "expired_token" ? "Nobody approved the login in time." : String(sentence ?? error);
    return new CliError(error, `${reason} \`svc login\` begins again.`, EXIT.unauthenticated);
  }
  return failed(error, typeof sentence === "string" ? sentence : error);
}

function unexpected(url: string, status: number): CliError {
  return failed(
    "unexpected_answer",
    `${url} answered ${status}, which is no answer of the service. Check its address.`,
  );
}
