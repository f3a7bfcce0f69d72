import { randomBytes } from "node:crypto";
import type { Clock } from "@svc/shared/platform/clock.ts";
import { repeatUntilDone } from "@svc/shared/platform/repeat.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import type { Db } from "../../platform/database/database.ts";
import { sharedReads } from "../../platform/shared-reads.ts";
import { ensureFact } from "../../platform/database/installation.store.ts";
import { sealContext, type KeyRing } from "../../ports.ts";
import { enqueueMail } from "../mail/enqueue-mail.ts";
import { serviceNameOf, type Mail } from "../mail/mail-text.ts";
import type { Engine } from "./engine.ts";
import { HashQueue } from "./passwords/hash-queue.ts";
import { readCookie, type CookieFacts } from "./sessions/cookie.ts";
import { sessionCookie, type Session } from "./sessions/session.ts";
import { readOpenSession } from "./sessions/sessions.store.ts";
import { readSignedToken } from "./sessions/signed-token.ts";
import type { SignUpPolicy } from "./joining/sign-up-policy.ts";
import { createOidc, type Oidc, type OidcParts } from "./oidc/oidc.ts";

export interface IdentityParts {
  db: Db;
  keyRing: KeyRing;
  clock: Clock;
  log: Logger;
  /** {base_url}; read at the first request, when it is known. */
  readonly baseUrl: string;
  signUp: SignUpPolicy;
  oidc: OidcParts;
}

/** The accounts of people. The verbs beside this file work on it. */
export interface Identity extends Pick<IdentityParts, "db" | "keyRing" | "clock" | "signUp" | "baseUrl"> {
  /** The service's name in mails. */
  readonly service: string;
  /** Queues the mail in the transaction that makes what it tells of. */
  sendMail(tx: Db, to: string, mail: Mail): Promise<void>;
  readonly cookie: CookieFacts;
  readonly oidc: Oidc;
  /** Ids of the people whose data this process is sending to them. */
  readonly exporting: Set<string>;
  /** Loads what signs people in, once. */
  engine(): Promise<Engine>;
  hashes: HashQueue;
  /**
   * Finds the session that a request's cookie names. It asks the database after each request, and those of one moment together:
   * a session that any process has ended is refused at once.
   */
  readSession(headers: Headers): Promise<Session | undefined>;
  /** Lets `work` run after the answer, whose time must not tell what it finds. It is made again when it fails. */
  runLater(work: () => Promise<void>): void;
  /** Resolves when nothing of that runs any more. */
  settled(): Promise<void>;
}

/** A database that is away for a moment loses no mail. A stop waits for it, and has twice this time. */
const QUEUEING_MS_MAX = 15_000;

/** Opens no connection and loads nothing until somebody comes. */
export function createIdentity(parts: IdentityParts): Identity {
  const { db, keyRing, clock, log, signUp } = parts;
  const running = new Set<Promise<void>>();
  const readOpen = sharedReads((token) => readOpenSession(db, token));
  const secret = once(() => openSessionSecret(db, keyRing));
  const engine = once(load);
  let cookie: CookieFacts | undefined;
  let oidc: Oidc | undefined;

  async function load(): Promise<Engine> {
    const { createEngine } = await import("./engine.ts");
    return createEngine({ db, secret: await secret(), baseUrl: parts.baseUrl });
  }

  async function untilQueued(work: () => Promise<void>): Promise<void> {
    let isQueued = false;
    const failing = "a mail could not be queued; this is tried again";
    const repetition = { everyMs: 500, failing, clock, log, work: () => work().then(() => void (isQueued = true)) };
    await repeatUntilDone(repetition, AbortSignal.timeout(QUEUEING_MS_MAX));
    if (!isQueued) log.error("a mail was given up, since the database does not answer");
  }

  const identity: Identity = {
    db,
    keyRing,
    clock,
    signUp,
    async sendMail(tx, to, mail) {
      await enqueueMail({ keyRing }, tx, to, mail);
    },
    get service() {
      return serviceNameOf(parts.baseUrl);
    },
    hashes: new HashQueue(),
    exporting: new Set(),
    get baseUrl() {
      return parts.baseUrl;
    },
    get cookie() {
      return (cookie ??= sessionCookie(parts.baseUrl));
    },
    get oidc() {
      return (oidc ??= createOidc({ ...parts.oidc, log, baseUrl: parts.baseUrl }));
    },
    engine,
    async readSession(headers) {
      const value = readCookie(headers, identity.cookie);
      const token = value === undefined ? undefined : readSignedToken(value, await secret());
      return token === undefined ? undefined : readOpen(token);
    },
    runLater(work) {
      const done = untilQueued(work).finally(() => running.delete(done));
      running.add(done);
    },
    async settled() {
      while (running.size > 0) await Promise.all(running);
    },
  };
  return identity;
}

/** Does the work at the first call, and again when it failed: a database that was away is asked again. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () =>
    (done ??= work().catch((error: unknown) => {
      done = undefined;
      throw error;
    }));
}

/** Signs the cookies of all processes of the installation; it lies sealed in the database. */
async function openSessionSecret(db: Db, keyRing: KeyRing): Promise<string> {
  const fresh = keyRing.seal(randomBytes(32).toString("base64"), sealContext.sessionSecret());
  return keyRing.open(await ensureFact(db, "session-secret", fresh), sealContext.sessionSecret());
}
