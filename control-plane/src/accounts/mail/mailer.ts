import { join } from "node:path";
import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import type { Db } from "../../platform/database/database.ts";
import { sealContext, type KeyRing, type Notifications } from "../../ports.ts";
import { createFileSender, removeMailFiles } from "./file-sender.ts";
import { mailDomainOf, MailError, type MailSender, type OutgoingMail } from "./mail-message.ts";
import { GIVE_UP_AFTER_MS, retryDelayMs } from "./mail-retry.ts";
import {
  claimMail,
  deleteOldMails,
  endClaim,
  recordGivenUp,
  recordRetry,
  recordSent,
  type ClaimedMail,
} from "./mails.store.ts";
import { createSmtpSender } from "./smtp-sender.ts";

export interface MailerSettings {
  db: Db;
  keyRing: KeyRing;
  notifications: Notifications;
  clock: Clock;
  log: Logger;
  /** {base_url}, whose host sends the mails. */
  baseUrl: string;
  /** SVC_SMTP_URL; undefined: mails go to the log and to `mail/` in the data directory. */
  smtpUrl: string | undefined;
  dataDirectory: string;
  timing?: Partial<MailTiming>;
}

interface MailTiming {
  /** Time of one attempt, from the look-up of the server's name to its answer. */
  attemptMs: number;
  /** How long a claim stands; more than an attempt with its record can take. */
  claimMs: number;
  /** The slow look for mails whose retry is due, for notifications that were lost, and for claims of workers that died. */
  pollMs: number;
  /** How long a process that stops lets attempts finish before it leaves them to another. */
  stopGraceMs: number;
}

const mailTiming: MailTiming = { attemptMs: 60_000, claimMs: 120_000, pollMs: 10_000, stopGraceMs: 5_000 };

/** A server refuses a sender with many connections; each mail takes about a second. */
const CONCURRENCY = 3;

/** Long enough to find out why somebody got no mail. */
const KEPT_MS = 7 * 24 * 3_600_000;
const TIDY_MS = 3_600_000;
/** Each batch is done within some 20 ms, so that it holds up nobody. */
const BATCH_ROWS = 1_000;

/**
 * Sends the mails that are due, at most 3 at a time. Any number of processes do so on one database. A process that dies between
 * sending and recording leaves a claim that ends, and the mail is sent again: at least once, and once in the normal case.
 */
export function startMailer(settings: MailerSettings) {
  const { db, keyRing, notifications, clock, log } = settings;
  const timing = { ...mailTiming, ...settings.timing };
  const sender = senderOf(settings);
  const stopping = new AbortController();
  const aborting = new AbortController();
  const sending = new Set<Promise<void>>();
  /** Claims again: a place is free. */
  let wake = (): void => undefined;

  /** Claims until nothing is due or every place is taken. */
  async function claimAll(): Promise<void> {
    while (sending.size < CONCURRENCY && !stopping.signal.aborted) {
      const mail = await claimMail(db, timing.claimMs);
      if (!mail) return;
      const ended = deliver(mail)
        .catch((error: unknown) => log.error({ err: error, mail_id: mail.id }, "mail not recorded"))
        .finally(() => {
          sending.delete(ended);
          wake();
        });
      sending.add(ended);
    }
  }

  async function deliver(mail: ClaimedMail): Promise<void> {
    // It waited while no process ran.
    if (mail.age_ms > GIVE_UP_AFTER_MS) return giveUp(mail, "It was not sent within a day.");
    const failure = await attempt(mail);
    if (failure === "stopped") return endClaim(db, mail);
    if (!failure) {
      await recordSent(db, mail);
      return log.info({ mail_id: mail.id, kind: mail.kind, attempt: mail.attempts }, "mail sent");
    }
    const delayMs = failure.isFinal ? undefined : retryDelayMs(mail.attempts, mail.age_ms);
    if (delayMs === undefined) return giveUp(mail, failure.message);
    await recordRetry(db, mail, failure.message, delayMs);
    log.warn({ ...lineOf(mail, failure.message), retry_ms: delayMs }, "mail not sent, it will be tried again");
  }

  /** Returns undefined when the mail was sent, and "stopped" when this process stops before that is known. */
  async function attempt(mail: ClaimedMail): Promise<MailError | "stopped" | undefined> {
    try {
      await sender.send(open(mail), AbortSignal.any([aborting.signal, AbortSignal.timeout(timing.attemptMs)]));
      return undefined;
    } catch (error) {
      if (aborting.signal.aborted) return "stopped";
      if (error instanceof MailError) return error;
      // A bug of ours, or a key that is missing.
      log.error({ err: error, mail_id: mail.id }, "mail attempt failed on our side");
      return new MailError("Something went wrong on our side.");
    }
  }

  function open({ id, recipient, body, created_at: createdAt }: ClaimedMail): OutgoingMail {
    const content = JSON.parse(keyRing.open(body, sealContext.mailBody(id))) as Pick<
      OutgoingMail,
      "subject" | "text" | "html"
    >;
    return { id, recipient, createdAt, ...content };
  }

  async function giveUp(mail: ClaimedMail, reason: string): Promise<void> {
    await recordGivenUp(db, mail, reason);
    log.error(lineOf(mail, reason), "mail given up");
  }

  async function tidy(): Promise<void> {
    for (let rows = -1; rows !== 0 && !stopping.signal.aborted;) rows = await deleteOldMails(db, KEPT_MS, BATCH_ROWS);
    await removeMailFiles(directoryOf(settings), new Date(clock.now().getTime() - KEPT_MS));
  }

  const wakeOn = (again: () => void): (() => void) => {
    wake = again;
    return notifications.subscribe("mails", again);
  };
  const parts = { clock, log };
  const working = Promise.all([
    repeat(
      { everyMs: timing.pollMs, failing: "mails can't be claimed", work: claimAll, wakeOn, ...parts },
      stopping.signal,
    ),
    repeat({ everyMs: TIDY_MS, failing: "old mails can't be removed", work: tidy, ...parts }, stopping.signal),
  ]);

  return {
    name: "mails",
    async stop(): Promise<void> {
      stopping.abort(new Error("the process stops"));
      await working;
      const grace = setTimeout(() => aborting.abort(new Error("the process stops")), timing.stopGraceMs);
      await Promise.all(sending);
      clearTimeout(grace);
    },
  };
}

function senderOf(settings: MailerSettings): MailSender {
  const { baseUrl, smtpUrl, log } = settings;
  const domain = mailDomainOf(baseUrl);
  if (smtpUrl !== undefined) return createSmtpSender(smtpUrl, domain);
  return createFileSender({ directory: directoryOf(settings), domain, log });
}

function directoryOf({ dataDirectory }: MailerSettings): string {
  return join(dataDirectory, "mail");
}

function lineOf({ id: mail_id, kind, attempts: attempt }: ClaimedMail, reason: string) {
  return { mail_id, kind, attempt, reason };
}
