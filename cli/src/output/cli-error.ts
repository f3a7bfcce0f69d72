/** Exit status. */
export const EXIT = { success: 0, failed: 1, usage: 2, unauthenticated: 3, unreachable: 4, interrupted: 130 } as const;

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/** The error that ends a command: a sentence for the person at the keyboard, a code for programs, the exit status. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly code: string;
  readonly exit: ExitStatus;
  /** Is for programs, beside the sentence. */
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, exit: ExitStatus, fields: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.exit = exit;
    this.fields = fields;
  }
}

/** Something that the user typed, or wrote in a file, that can't be. */
export function wrongUse(message: string): CliError {
  return new CliError("wrong_use", message, EXIT.usage);
}

/** A fault of the service's, such as a database that is away. @param requestId as its answer has it */
export function serviceFault(requestId: unknown): CliError {
  return failed("internal", `Something went wrong in the service; its log has more under ${String(requestId)}.`);
}

export function failed(code: string, message: string): CliError {
  return new CliError(code, message, EXIT.failed);
}
