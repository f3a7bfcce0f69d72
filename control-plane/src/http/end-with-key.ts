import { isDeepStrictEqual } from "node:util";
import { toSvcError } from "@svc/shared/errors.ts";
import type { Caller } from "./auth.ts";

/** The longest that a timer of Node's can wait: 24 days. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** After its end, by whichever clock, a key has expired for the database too. */
const EXPIRED_MS = 1_000;

export interface KeyWatch {
  /** As the key was when the answer began. */
  caller: Caller;
  /** @throws when the key is not valid any more */
  authorize: () => Promise<Caller>;
  /** Called when any key may have changed. Returns the unsubscribe function. */
  onChange: (listener: () => void) => () => void;
}

/**
 * An answer that goes on for long ends when the key that asked for it is revoked, expires, or has other rights: who asks
 * again is told why.
 */
export function endWithKey(response: Response, { caller, authorize, onChange }: KeyWatch): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  let ended = false;
  let forget = (): void => {};

  function end(): void {
    ended = true;
    forget();
  }

  async function isAsBefore(): Promise<boolean> {
    const rights = ({ scopes, apps }: Caller) => ({ scopes, apps });
    return authorize().then(
      (now) => isDeepStrictEqual(rights(now), rights(caller)),
      (error: unknown) => toSvcError(error).code !== "unauthorized",
    );
  }

  // Nothing is read ahead of the client.
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const check = async (): Promise<void> => {
          if (ended || (await isAsBefore()) || ended) return;
          end();
          await reader.cancel().catch(() => undefined);
          controller.close();
        };
        const unsubscribe = onChange(() => void check());
        const timer = setTimeout(() => void check(), Math.min(caller.expiresInMs + EXPIRED_MS, TIMER_MS_MAX)).unref();
        forget = () => {
          unsubscribe();
          clearTimeout(timer);
        };
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (ended) return;
          if (!done) return controller.enqueue(value);
          end();
          controller.close();
        } catch (error) {
          end();
          throw error;
        }
      },
      cancel(reason) {
        end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}
