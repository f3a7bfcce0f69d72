import { setTimeout as delay } from "node:timers/promises";
import { jsonOrUndefined } from "@svc/shared/json.ts";
import type { Access } from "../../api/access.ts";
import { refusal } from "../../api/client.ts";
import { readEvents, textOf } from "../../api/event-stream.ts";
import { reasonOf, unreachable } from "../../api/patient-fetch.ts";
import { CliError } from "../../output/cli-error.ts";
import { asMessage, clientOf, errorMessage, headersOf, RPC_ERROR, type Message } from "./message.ts";

export interface BridgeParts {
  /** Is asked for every message: a key that `svc login` stores meanwhile is used from the next one on. @throws CliError */
  access(): Promise<Access>;
  /** Writes a message on one line. */
  write(message: string): void;
  /** Tells a person of something that no answer can tell. */
  note(text: string): void;
}

/** A client that closes its end still gets the answers that are about to come; it waits no longer than this. */
const LAST_ANSWERS_MS = 5_000;

/** Hands each message to the service and its answers back. It keeps nothing of a session but the client's name and version. */
export class Bridge {
  readonly #parts: BridgeParts;
  /** Messages under way, by the request's id; a notification has an entry of its own. */
  readonly #open = new Map<unknown, { leave: AbortController; done: Promise<void> }>();
  #client = "client";
  #protocolVersion: string | undefined;

  constructor(parts: BridgeParts) {
    this.#parts = parts;
  }

  /** Begins to hand one line over. Messages do not wait for each other, as they would not over HTTP. */
  take(line: string): void {
    if (line.trim() === "") return;
    const value = jsonOrUndefined(line);
    if (value === undefined) return this.#parts.write(errorMessage(null, RPC_ERROR.parse, "A line is not JSON."));
    const message = asMessage(value);
    if (!message) {
      return this.#parts.write(
        errorMessage(null, RPC_ERROR.invalidRequest, "A line must be one message of JSON-RPC 2.0."),
      );
    }
    this.#client = clientOf(message) ?? this.#client;
    // The service keeps no session in which it could find the call: its request is given up instead.
    if (message.method === "notifications/cancelled")
      return this.#open.get(message.params?.["requestId"])?.leave.abort();
    const leave = new AbortController();
    const id = isRequest(message) ? message.id : Symbol("no request");
    const entry = { leave, done: Promise.resolve() };
    this.#open.set(id, entry);
    entry.done = this.#handOver(message, line, leave.signal).finally(() => {
      if (this.#open.get(id) === entry) this.#open.delete(id);
    });
  }

  /** Resolves when all is answered, or was given up. */
  async close(): Promise<void> {
    const entries = [...this.#open.values()];
    const all = Promise.all(entries.map(({ done }) => done));
    const tooLate = new AbortController();
    await Promise.race([all, delay(LAST_ANSWERS_MS, undefined, { signal: tooLate.signal }).catch(() => undefined)]);
    tooLate.abort();
    for (const { leave } of entries) leave.abort();
    await all;
  }

  async #handOver(message: Message, line: string, signal: AbortSignal): Promise<void> {
    try {
      let isAnswered = !isRequest(message);
      for await (const answer of this.#answersTo(message, line, signal)) {
        if (!isAnswered) isAnswered = this.#pass(answer, message);
      }
      if (!isAnswered) throw new Error("The connection ended before the answer came.");
    } catch (error) {
      if (signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      if (isRequest(message)) this.#parts.write(errorMessage(message.id, RPC_ERROR.notDone, reason));
      else this.#parts.note(reason);
    }
  }

  /** @throws CliError when the service is away, or refuses the key */
  async *#answersTo(message: Message, line: string, signal: AbortSignal): AsyncGenerator<unknown> {
    const access = await this.#parts.access();
    const { url, key } = access;
    const headers = {
      Authorization: `Bearer ${key}`,
      "User-Agent": `${this.#client} via svc`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...headersOf(message, this.#protocolVersion),
    };
    try {
      // A key must not follow a redirect to somebody else.
      const response = await fetch(`${url}/mcp`, { method: "POST", body: line, headers, redirect: "error", signal });
      const type = response.headers.get("Content-Type") ?? "";
      if (type.startsWith("text/event-stream") && response.body) {
        for await (const { data } of readEvents(response.body, signal)) yield jsonOrUndefined(data);
      } else if (type.startsWith("application/json")) {
        const body = jsonOrUndefined(await textOf(response.body));
        if (!asMessage(body)) throw refusal(access, response.status, body);
        yield body;
      } else {
        await response.body?.cancel();
        // A notification is taken without a word.
        if (!response.ok) throw unreachable(url, `it answered ${response.status} without a word of the service`);
      }
    } catch (error) {
      if (error instanceof CliError || signal.aborted) throw error;
      throw brokenOff(message, url, reasonOf(error)) ?? unreachable(url, reasonOf(error));
    }
  }

  /** Writes a message that the service has sent for a request. Returns whether it is the answer to the request. */
  #pass(value: unknown, request: Message): boolean {
    const message = asMessage(value);
    if (!message) return false;
    const isAnswer = message.method === undefined;
    // An answer with another request's id would be taken for that one's; a refusal of the whole body does not know whose it is.
    if (isAnswer && (message.id ?? request.id) !== request.id) return false;
    if (isAnswer && request.method === "initialize") this.#protocolVersion = agreedVersion(value);
    this.#parts.write(onOneLine(isAnswer ? { ...(value as object), id: request.id } : value));
    return isAnswer;
  }
}

/** Reasons of a connection that ends after it has stood. */
const BROKEN_OFF = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"];

/** An assistant that takes a call for not delivered makes it again, which would deploy twice. */
function brokenOff({ method }: Message, url: string, reason: string): Error | undefined {
  if (method !== "tools/call" || !BROKEN_OFF.includes(reason)) return undefined;
  return new Error(
    `The connection to ${url} broke off (${reason}) before the answer came. It is not known whether the call was done: ` +
      "look at the app before you make it again.",
  );
}

function isRequest({ id, method }: Message): boolean {
  return method !== undefined && id !== undefined && id !== null;
}

/** JSON may hold characters that end a line for some readers of lines: they are escaped. */
function onOneLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[\u0085\u2028\u2029]/g, (end) => {
    return `\\u${end.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function agreedVersion(value: unknown): string | undefined {
  const { result } = value as { result?: { protocolVersion?: unknown } };
  return typeof result?.protocolVersion === "string" ? result.protocolVersion : undefined;
}
