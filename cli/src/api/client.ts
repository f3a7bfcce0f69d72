import createClient, { type Client } from "openapi-fetch";
import { recordOf } from "@svc/shared/json.ts";
import { EXIT, CliError, failed, serviceFault } from "../output/cli-error.ts";
import type { Invocation } from "../command-line/command.ts";
import type { components, paths } from "../gen/api.ts";
import { VERSION } from "../runtime/version.ts";
import { findAccess, notAuthenticated, type Access } from "./access.ts";
import { patientFetch } from "./patient-fetch.ts";

export type App = components["schemas"]["App"];
export type Deploy = components["schemas"]["Deploy"];
export type WaitingDeploy = NonNullable<components["schemas"]["WaitingDeploy"]>;
export type DeployStep = components["schemas"]["DeployStep"];

/** The service, as the tool talks to it. */
export interface Service {
  access: Access;
  /** Typed by the API's own description. */
  rest: Client<paths>;
  /** Opens a stream of server-sent events; the answer may be 204. @throws CliError */
  stream(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response>;
}

/** @throws CliError wrong_use, not_authenticated */
export async function openService(invocation: Invocation): Promise<Service> {
  const { terminal } = invocation;
  return connect(await findAccess(invocation), (seconds) =>
    terminal.note(`The service asks to wait ${seconds} s: too many changes in a short time.`),
  );
}

export function connect(access: Access, onWait: (seconds: number) => void): Service {
  const send = patientFetch({ url: access.url, onWait });
  const headers = { Authorization: `Bearer ${access.key}`, "User-Agent": `svc/${VERSION}` };
  return {
    access,
    rest: createClient<paths>({ baseUrl: access.url, headers, fetch: send }),
    async stream(path, more, signal) {
      const accept = { Accept: "text/event-stream" };
      const response = await send(
        new Request(access.url + path, { headers: { ...headers, ...accept, ...more }, signal }),
      );
      if (response.ok) return response;
      throw refusal(access, response.status, await response.json().catch(() => undefined));
    },
  };
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of an answer. @throws CliError for a refusal, with the service's own sentence */
export async function answerOf<T>({ access }: Service, asked: Promise<Answer<T>>): Promise<NonNullable<T>> {
  const { data, error, response } = await asked;
  if (response.ok && data !== undefined && data !== null) return data;
  throw refusal(access, response.status, error);
}

/** The same for answers without a body. @throws CliError */
export async function done({ access }: Service, asked: Promise<Answer<unknown>>): Promise<void> {
  const { error, response } = await asked;
  if (!response.ok) throw refusal(access, response.status, error);
}

/** The error for an answer that is none of success, with the service's own sentence. */
export function refusal({ url }: Access, status: number, body: unknown): CliError {
  if (status === 401) {
    return notAuthenticated(
      `${url} refuses the API key: it may be revoked or expired. Run \`svc login\` with another.`,
    );
  }
  const { error, detail, request_id, ...fields } = recordOf(body);
  if (typeof error !== "string")
    return failed(
      "unexpected_answer",
      `${url} answered ${status}, which is no answer of the service. Check --url, SVC_URL or svc login.`,
    );
  if (error === "internal") return serviceFault(request_id);
  const exit = status === 400 ? EXIT.usage : EXIT.failed;
  return new CliError(error, typeof detail === "string" ? detail : error, exit, fields);
}
