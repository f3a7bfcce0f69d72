import { hash } from "node:crypto";
import { newId } from "@svc/shared/rules/ids.ts";
import type { Clock } from "@svc/shared/platform/clock.ts";
import { sealContext, type KeyRing } from "../ports.ts";

/** A person reads the question, and may ask somebody first. */
const VALID_MS = 15 * 60_000;

export interface ConfirmationParts {
  keyRing: KeyRing;
  clock: Clock;
  /** Id of the API key that asks: no other one's question is answered. */
  keyId: string;
  /** Whether nobody has used the id before. */
  useOnce(id: string): Promise<boolean>;
}

interface Question {
  id: string;
  /** A hash of the tool and all its arguments, also of those that are not shown. */
  digest: string;
  /** Milliseconds since 1970. */
  until: number;
}

/**
 * Questions to a person that their client carries between two calls, so that any process understands the answer. They are sealed with
 * the master key for one API key: nobody else makes one, and none is good for anything but the call that it was asked for.
 */
export class Confirmations {
  readonly #parts: ConfirmationParts;

  constructor(parts: ConfirmationParts) {
    this.#parts = parts;
  }

  /** Makes the state of a question about a call. */
  ask(tool: string, input: unknown): string {
    const { keyRing, clock } = this.#parts;
    const until = clock.now().getTime() + VALID_MS;
    const question: Question = { id: newId(), digest: digestOf(tool, input), until };
    return keyRing.seal(JSON.stringify(question), this.#context).toString("base64url");
  }

  /** Returns why an answer to the question does not count for this call; undefined when it does, which it does once. */
  async refusalOf(state: unknown, tool: string, input: unknown): Promise<string | undefined> {
    const question = this.#read(state);
    if (question?.digest !== digestOf(tool, input)) return "The answer is to another question than this call's.";
    if (question.until <= this.#parts.clock.now().getTime()) return "The question is older than 15 minutes.";
    if (!(await this.#parts.useOnce(question.id))) return "The answer was used already.";
    return undefined;
  }

  #read(state: unknown): Question | undefined {
    if (typeof state !== "string") return undefined;
    try {
      const text = this.#parts.keyRing.open(Buffer.from(state, "base64url"), this.#context);
      return JSON.parse(text) as Question;
    } catch {
      return undefined;
    }
  }

  get #context(): string {
    return sealContext.confirmation(this.#parts.keyId);
  }
}

function digestOf(tool: string, input: unknown): string {
  return hash("sha256", JSON.stringify([tool, input]), "base64url");
}
