import { recordOf } from "@svc/shared/json.ts";

/** Why a request was not done, with a sentence for the person. */
export class Refusal extends Error {
  /** One of the API's codes; `unreachable` when no answer came. */
  readonly code: string;
  /** The answer's other properties. */
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(code: string, sentence: string, fields: Readonly<Record<string, unknown>> = {}) {
    super(sentence);
    this.code = code;
    this.fields = fields;
  }
}

/** Pages ask again after this where the service could not answer. Milliseconds. */
export const AGAIN_MS = 4_000;

/** Whether the same request may be answered in a moment: the service, or its database, is away. */
export function isPassing(error: unknown): boolean {
  return error instanceof Refusal && ["unreachable", "internal"].includes(error.code);
}

/** Reads the body of an answer that is no success. */
export function refusalOf(status: number, body: unknown): Refusal {
  const fields = recordOf(body);
  const { error, detail, request_id: id } = fields;
  const code = text(error) ?? "internal";
  if (code === "unauthorized") return new Refusal(code, "You are signed out. Sign in again.");
  const named = text(id) === undefined ? `status ${status}` : `request ${text(id)}`;
  return new Refusal(
    code,
    text(detail) ?? `Something went wrong in the service. Try again; if it stays, tell your operator: ${named}.`,
    fields,
  );
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Finds the field that a refusal is about; undefined when it is about none of them, or about all. */
export function fieldOf(refusal: Refusal, fields: readonly string[]): string | undefined {
  return fieldsMeant(refusal).find((field) => fields.includes(field));
}

function fieldsMeant({ code, message }: Refusal): string[] {
  const named = /^The property (\w+)/.exec(message)?.[1];
  if (named !== undefined) return [named];
  if (code === "credentials_invalid") return [message.startsWith("The code") ? "code" : "password"];
  if (code !== "invalid_request") return [];
  if (message.startsWith("The password")) return ["new_password", "password"];
  return /address/.test(message) ? ["email"] : [];
}
