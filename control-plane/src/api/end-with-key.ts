import { isDeepStrictEqual } from "node:util";
import { toSvcError, type ErrorCode } from "@svc/shared/errors.ts";
import type { Caller } from "../accounts/authenticate.ts";

/** A change that no notification told of, or that could not be asked about, is noticed in that time. */
const RECHECK_MS = 30_000;
/** After its end, by whichever clock, a key has expired for the database too. */
const EXPIRED_MS = 1_000;

/** The key has ended, or what it asked for is another owner's, or gone. */
const ENDING: ReadonlySet<ErrorCode> = new Set(["unauthorized", "insufficient_role", "not_found"]);

export interface KeyWatch {
  /** The key as it was when the answer began. */
  caller: Caller;
  /** @throws when the key is not valid any more, or what it asked for is not its owner's any more */
  authorize: () => Promise<Caller>;
  /** Is called when any key may have changed. Returns the unsubscribe function. */
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

  /** Returns the milliseconds until the next look; undefined when the key is not what it was. */
  async function nextCheckInMs(): Promise<number | undefined> {
    try {
      const { scopes, apps, expiresInMs } = await authorize();
      if (!isDeepStrictEqual({ scopes, apps }, { scopes: caller.scopes, apps: caller.apps })) return undefined;
      return Math.min(expiresInMs + EXPIRED_MS, RECHECK_MS);
    } catch (error) {
      return ENDING.has(toSvcError(error).code) ? undefined : RECHECK_MS;
    }
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let timer: NodeJS.Timeout | undefined;
        const check = async (): Promise<void> => {
          const inMs = await nextCheckInMs();
          if (ended) return;
          clearTimeout(timer);
          if (inMs !== undefined) return void (timer = setTimeout(() => void check(), inMs).unref());
          end();
          // Before anything is waited for: once the client has gone there is nothing to close.
          controller.close();
          await reader.cancel().catch(() => undefined);
        };
        const unsubscribe = onChange(() => void check());
        forget = () => {
          unsubscribe();
          clearTimeout(timer);
        };
        // It may have changed since it was looked at.
        void check();
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
