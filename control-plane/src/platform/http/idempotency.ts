import { SvcError, toSvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { invalid } from "../invalid.ts";
import type { Db } from "../database/database.ts";
import { claimKey, readStoredResponse, releaseKey, storeResponse, type IdempotencyScope } from "./idempotency.store.ts";
import type { Answer } from "./answer.ts";
import { errorAnswer } from "./errors.ts";

/** The longest Idempotency-Key, in characters. */
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255;

/** @throws SvcError invalid_request */
export function checkIdempotencyKey(key: string): void {
  if (key === "" || key.length > IDEMPOTENCY_KEY_LENGTH_MAX) {
    throw invalid(`Idempotency-Key has ${key.length} characters; 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} are allowed.`);
  }
}

/**
 * Refuses a request that a browser sends again by itself, as browsers do when a connection that they had used before breaks
 * without an answer. A page gives each request a key of its own: whoever presses a button again sends another one.
 * @throws SvcError idempotency_key_in_progress
 */
export async function refuseResent(db: Db, scope: IdempotencyScope): Promise<void> {
  checkIdempotencyKey(scope.key);
  if (await claimKey(db, scope, NO_BODY, newId())) return;
  throw new SvcError(
    "idempotency_key_in_progress",
    "The connection broke before the answer came, and what was sent is not done a second time. Load the page again to see " +
      "whether it was done.",
  );
}

/** Takes a key that is good once, for 24 hours. Returns whether nobody has taken it before. */
export function takeOnce(db: Db, scope: IdempotencyScope): Promise<boolean> {
  const claimId = newId();
  // Nothing has the same hash, so that the key does not become free when its taker has died.
  return claimKey(db, scope, Buffer.from(claimId), claimId);
}

const NO_BODY = Buffer.alloc(0);

/**
 * Lets one of the requests with the same key do the work. What it does and what it
 * answers become durable in one transaction: a crash leaves either both or neither.
 * @param before runs once the key is this request's, outside of the transaction: what it does stays when the work fails
 * @param work gets that transaction
 * @throws SvcError idempotency_key_reuse, idempotency_key_in_progress; what `work` throws, when it is our fault
 */
export async function answerOnce(
  db: Db,
  scope: IdempotencyScope,
  bodyHash: Buffer,
  requestId: string,
  before: () => Promise<void>,
  work: (tx: Db) => Promise<Answer>,
): Promise<Answer> {
  const claimId = newId();
  if (!(await claimKey(db, scope, bodyHash, claimId))) return replay(db, scope, bodyHash);
  try {
    await before();
    return await db.transaction().execute(async (tx) => {
      const answer = await work(tx);
      await store(tx, claimId, scope, answer);
      return answer;
    });
  } catch (error) {
    const known = toSvcError(error);
    const refusal = errorAnswer(known, requestId);
    // Another API key of the same user may be allowed to do it.
    if (isStorable(refusal) && known.code !== "insufficient_scope") {
      await store(db, claimId, scope, refusal);
    } else {
      // When even this fails, the key is free again after five minutes.
      await releaseKey(db, claimId, scope).catch(() => undefined);
    }
    throw error;
  }
}

async function replay(db: Db, scope: IdempotencyScope, bodyHash: Buffer): Promise<Answer> {
  const stored = await readStoredResponse(db, scope);
  if (stored && !stored.bodyHash.equals(bodyHash)) {
    throw new SvcError(
      "idempotency_key_reuse",
      "This Idempotency-Key was used with a different body: use a new key for a new request.",
    );
  }
  // Without a row the original has just released its key: it is free for the next try.
  if (!stored?.response) throw inProgress();
  return { ...stored.response, headers: { "Idempotent-Replayed": "true" } };
}

/** 5xx and 429 pass: the same request may succeed the next time. */
function isStorable({ status }: Answer): boolean {
  return status < 500 && status !== 429;
}

async function store(db: Db, claimId: string, scope: IdempotencyScope, { status, body = "" }: Answer): Promise<void> {
  // Somebody took the key over because this request ran for more than five minutes: its work is rolled back.
  if (!(await storeResponse(db, claimId, scope, { status, body }))) throw inProgress();
}

function inProgress(): SvcError {
  return new SvcError(
    "idempotency_key_in_progress",
    "The first request with this Idempotency-Key still runs: try again in a moment.",
    { retryAfterSeconds: 1 },
  );
}
