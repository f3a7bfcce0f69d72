import { SvcError } from "@svc/shared/errors.ts";
import { PUSH_COMMANDS_MAX, REPOSITORY_REFS_MAX } from "./git-bounds.ts";

/** The pattern of a command's line: `<old> <new> <ref>`, the old one being zeros for a ref that is to be made. */
const CREATES = /^(0{40}|0{64}) /;

/**
 * Counts the commands at the head of a push, which are lines with their length in front, up to one without any
 * (gitprotocol-pack). git itself takes any number of them.
 */
export class PushCommands {
  readonly #newRefsMax: number;
  #rest = Buffer.alloc(0);
  #isOver = false;
  #commands = 0;
  #newRefs = 0;

  /** @param refCount how many the repository has */
  constructor(refCount: number) {
    this.#newRefsMax = Math.max(0, REPOSITORY_REFS_MAX - refCount);
  }

  /** @returns why the push is refused, as soon as that is known */
  add(chunk: Uint8Array): SvcError | undefined {
    if (this.#isOver) return undefined;
    let bytes = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const length = lengthOf(bytes);
      // Nothing but a line goes on with the commands; git refuses what is no length.
      this.#isOver = length !== undefined && !(length >= 4);
      if (this.#isOver || length === undefined || bytes.length < length) break;
      this.#commands += 1;
      if (CREATES.test(bytes.toString("latin1", 4, Math.min(length, 4 + 65)))) this.#newRefs += 1;
      bytes = bytes.subarray(length);
    }
    this.#rest = Buffer.from(bytes);
    return this.#refusal();
  }

  #refusal(): SvcError | undefined {
    if (this.#commands > PUSH_COMMANDS_MAX) {
      return new SvcError(
        "payload_too_large",
        `A push may change at most ${PUSH_COMMANDS_MAX} branches and tags: push them in several parts.`,
      );
    }
    if (this.#newRefs <= this.#newRefsMax) return undefined;
    return new SvcError(
      "repository_full",
      `A repository may have at most ${REPOSITORY_REFS_MAX} branches and tags: delete some of them first.`,
    );
  }
}

/** Is undefined while it has not arrived; not a number when it is none. */
function lengthOf(bytes: Buffer): number | undefined {
  if (bytes.length < 4) return undefined;
  const digits = bytes.toString("latin1", 0, 4);
  return /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
}
