import { SvcError } from "@svc/shared/errors.ts";
import { FETCH_REQUEST_BYTES_MAX, PUSH_BYTES_MAX } from "./git-bounds.ts";
import { PushCommands } from "./push-commands.ts";

/** The services of git's smart protocol over HTTP. */
export type GitService = "git-upload-pack" | "git-receive-pack";

/** A refused body is read up to its limit once more, so that its sender comes to read the answer. */
const DRAINED_TIMES = 2;

/**
 * A request's body on its way to git: unpacked and measured here, since git would unpack any amount.
 */
export class GitInput {
  /** Why git is not to have the rest. */
  refusal: SvcError | undefined;
  readonly #body: ReadableStream<Uint8Array> | null;
  readonly #isPush: boolean;
  readonly #bytesMax: number;

  /** @throws SvcError payload_too_large, unsupported_media_type for what the head alone says */
  constructor(request: Request, service: GitService) {
    this.#isPush = service === "git-receive-pack";
    this.#bytesMax = this.#isPush ? PUSH_BYTES_MAX : FETCH_REQUEST_BYTES_MAX;
    if (Number(request.headers.get("Content-Length") ?? 0) > this.#bytesMax) throw this.#tooLarge();
    this.#body = unpacked(request);
  }

  /**
   * Yields what git may read, and ends, with `refusal` set, where it may not have more.
   * @param refCount how many refs the repository has
   * @param onRefusal is called at the moment of the refusal
   */
  async *chunks(refCount: number, onRefusal: () => void): AsyncGenerator<Uint8Array> {
    const commands = this.#isPush ? new PushCommands(refCount) : undefined;
    let length = 0;
    for await (const chunk of this.#body ?? []) {
      length += chunk.byteLength;
      if (!this.refusal) {
        this.refusal = length > this.#bytesMax ? this.#tooLarge() : commands?.add(chunk);
        if (this.refusal) onRefusal();
        else yield chunk;
      }
      if (length > DRAINED_TIMES * this.#bytesMax) return;
    }
  }

  #tooLarge(): SvcError {
    if (!this.#isPush) {
      return new SvcError("payload_too_large", `A clone's request may have at most ${inMib(this.#bytesMax)}.`);
    }
    return new SvcError(
      "payload_too_large",
      `A push may bring at most ${inMib(PUSH_BYTES_MAX)}: push in smaller parts, or keep large files elsewhere.`,
    );
  }
}

/** @throws SvcError unsupported_media_type */
function unpacked({ body, headers }: Request): ReadableStream<Uint8Array> | null {
  const encoding = headers.get("Content-Encoding") ?? "identity";
  if (encoding === "identity") return body;
  if (!/^(x-)?gzip$/i.test(encoding)) {
    throw new SvcError("unsupported_media_type", `A body with the encoding ${encoding} can't be read: send it plain.`);
  }
  return body?.pipeThrough(new DecompressionStream("gzip")) ?? null;
}

function inMib(bytes: number): string {
  return `${bytes / 1024 ** 2} MiB`;
}

/** A refusal in git's own protocol, for answers that have begun: git shows it to its user. */
export function refusalPacket(service: GitService, { message }: SvcError): Uint8Array {
  // Side band 3 is the one for errors that end everything (gitprotocol-common).
  const text = service === "git-receive-pack" ? `\u0003${message}\n` : `ERR ${message}\n`;
  const length = (Buffer.byteLength(text) + 4).toString(16).padStart(4, "0");
  return Buffer.from(`${length}${text}0000`);
}
