import type { Clock } from "@svc/shared/platform/clock.ts";
import { firstLine } from "../platform/operator-error.ts";

export interface RecordedError {
  time: Date;
  code: string;
  message: string;
  /** The subject, when a later error of the same subject says all that this one said. */
  subject?: string | undefined;
}

/** This is as many as a person reads (agent.proto, Status.last_errors). */
const KEPT = 20;
const MESSAGE_CHARACTERS_MAX = 500;

/** The newest errors of this process, for its operator; bounded. */
export class LastErrors {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #errors: RecordedError[] = [];

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** @param subject a former error of the same code and subject gives way, so that one app never takes all places */
  record(code: string, error: unknown, subject?: string): void {
    const text = error instanceof Error ? error.message : String(error);
    const message = firstLine(text).slice(0, MESSAGE_CHARACTERS_MAX);
    const isReplaced = (former: RecordedError): boolean =>
      subject !== undefined && former.code === code && former.subject === subject;
    const others = this.#errors.filter((former) => !isReplaced(former));
    this.#errors = [{ time: this.#clock.now(), code, message, subject }, ...others].slice(0, KEPT);
    this.#onChange();
  }

  /** Newest first. */
  list(): readonly RecordedError[] {
    return this.#errors;
  }
}
