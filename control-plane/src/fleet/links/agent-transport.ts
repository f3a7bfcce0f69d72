import type { StreamResponse, Transport } from "@connectrpc/connect";
import type { DescMessage } from "@bufbuild/protobuf";
import { SvcError } from "@svc/shared/errors.ts";
import { fromAgentError } from "../agent-errors.ts";

/**
 * Makes every failed call of a transport fail with a SvcError, and counts the calls that are open. A stream that its
 * reader leaves before the end counts until the reader aborts its signal: Connect's streams have no `return`.
 */
export class AgentTransport implements Transport {
  readonly #inner: Transport;
  readonly #onIdle: () => void;
  #open = 0;

  /** @param onIdle called whenever the last open call ended */
  constructor(inner: Transport, onIdle: () => void) {
    this.#inner = inner;
    this.#onIdle = onIdle;
  }

  get openCalls(): number {
    return this.#open;
  }

  unary: Transport["unary"] = async (method, signal, ...rest) => {
    const end = this.#begin();
    try {
      return await this.#inner.unary(method, signal, ...rest);
    } catch (error) {
      throw translated(error, signal);
    } finally {
      end();
    }
  };

  stream: Transport["stream"] = async (method, signal, ...rest) => {
    const end = this.#begin();
    signal?.addEventListener("abort", end, { once: true });
    const finish = (): void => {
      signal?.removeEventListener("abort", end);
      end();
    };
    try {
      const response = await this.#inner.stream(method, signal, ...rest);
      return { ...response, message: watched(response.message, signal, finish) };
    } catch (error) {
      finish();
      throw translated(error, signal);
    }
  };

  #begin(): () => void {
    this.#open += 1;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#open -= 1;
      if (this.#open === 0) this.#onIdle();
    };
  }
}

type Messages<O extends DescMessage> = StreamResponse<DescMessage, O>["message"];

function watched<O extends DescMessage>(
  messages: Messages<O>,
  signal: AbortSignal | undefined,
  onEnd: () => void,
): Messages<O> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = messages[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            const result = await iterator.next();
            if (result.done) onEnd();
            return result;
          } catch (error) {
            onEnd();
            throw translated(error, signal);
          }
        },
      };
    },
  };
}

/** A call that its caller aborted fails with the caller's reason, whatever the connection said meanwhile. */
function translated(error: unknown, signal: AbortSignal | undefined): SvcError {
  if (!signal?.aborted) return fromAgentError(error);
  if (signal.reason instanceof SvcError) return signal.reason;
  return new SvcError("canceled", "The call was canceled.", { cause: signal.reason });
}
