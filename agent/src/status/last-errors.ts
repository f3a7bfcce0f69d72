import type { Clock } from "@svc/shared/clock.ts";
import { firstLine } from "../domain/operator-error.ts";

export interface RecordedError {
  time: Date;
  code: string;
  message: string;
}

/** As many as a person reads (agent.proto, Status.last_errors). */
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

  record(code: string, error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    const message = firstLine(text).slice(0, MESSAGE_CHARACTERS_MAX);
    this.#errors = [{ time: this.#clock.now(), code, message }, ...this.#errors].slice(0, KEPT);
    this.#onChange();
  }

  /** Newest first. */
  list(): readonly RecordedError[] {
    return this.#errors;
  }
}
