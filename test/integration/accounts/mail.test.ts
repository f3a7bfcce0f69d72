import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import PostalMime from "postal-mime";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { enqueueMail } from "@svc/control-plane/accounts/mail/enqueue-mail.ts";
import { newSignInMail, resetMail, verifyMail, type Mail } from "@svc/control-plane/accounts/mail/mail-text.ts";
import { startMailer, type MailerSettings } from "@svc/control-plane/accounts/mail/mailer.ts";
import { claimMail } from "@svc/control-plane/accounts/mail/mails.store.ts";
import { inTransaction } from "@svc/control-plane/platform/database/database.ts";
import { startNotifications, type RunningNotifications } from "@svc/control-plane/platform/database/notifications.ts";
import { openKeyRing } from "@svc/control-plane/secrets/open-key-ring.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { testKeyRing as keyRing } from "../../support/api/key-ring.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/postgres.ts";
import { startSmtpDouble, type SmtpDouble } from "../../support/doubles/smtp.ts";
import { startControlPlanes } from "../../support/platform/control-planes.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { keepLogged, type Logged } from "../../support/tools/logged.ts";

const service = "svc.example.com";
const link = "https://svc.example.com/verify?token=once-only-4711";
const verify = verifyMail({ service, link });
const PASSWORD = "pass:word/4711";

let database: TestDatabase;
let notifications: RunningNotifications;
let smtp: SmtpDouble;
let dataDirectory: string;
const running: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  const options = { url: database.url, processId: newId(), clock: systemClock, log: silentLogger };
  notifications = await startNotifications(options);
});
beforeEach(async () => {
  smtp = await startSmtpDouble();
  dataDirectory = await mkdtemp(join(tmpdir(), "svc-mail-"));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
  await smtp.stop();
  await database.query("delete from mails");
  await rm(dataDirectory, { recursive: true, force: true });
});
afterAll(async () => {
  await notifications?.stop();
  await database?.drop();
});

/** A process that sends, and what it logs. It hears only by the notification: its slow look never comes. */
function start(settings: Partial<MailerSettings> = {}): { stop(): Promise<void>; logged: Logged[] } {
  const { log, logged } = keepLogged();
  const mailer = startMailer({
    db: database.db,
    keyRing,
    notifications,
    clock: systemClock,
    log,
    baseUrl: "https://svc.example.com:8443",
    smtpUrl: `smtp://127.0.0.1:${smtp.port}`,
    dataDirectory,
    ...settings,
    timing: { pollMs: 3_600_000, stopGraceMs: 0, ...settings.timing },
  });
  running.push(mailer);
  return { stop: mailer.stop, logged };
}

const enqueue = (recipient = "ada@example.com", mail: Mail = verify): Promise<string> =>
  inTransaction(database.db, (tx) => enqueueMail({ keyRing }, tx, recipient, mail));

interface MailRow {
  body: Buffer | null;
  attempts: number;
  next_attempt_at: Date | null;
  claimed_until: Date | null;
  sent_at: Date | null;
  given_up_at: Date | null;
  last_error: string | null;
  /** Until the next attempt. */
  delay_ms: number | null;
}

async function read(id: string): Promise<MailRow | undefined> {
  const text =
    "select *, extract(epoch from next_attempt_at - now())::float8 * 1000 as delay_ms from mails where id = $1";
  return (await database.query(text, [id])).rows[0] as MailRow | undefined;
}

const rowWhere = (id: string, isWanted: (row: MailRow) => boolean, what: string): Promise<MailRow> =>
  eventually(
    () => read(id),
    (row) => row !== undefined && isWanted(row),
    { what },
  ) as Promise<MailRow>;
const sent = (id: string) => rowWhere(id, ({ sent_at }) => sent_at !== null, "the mail is sent");
const failed = (id: string) =>
  rowWhere(id, (row) => row.last_error !== null && row.claimed_until === null, "the attempt is recorded");

/** Says that time has passed: what was set for later is due now, and workers look. */
async function setTime(
  id: string,
  column: "next_attempt_at" | "claimed_until" | "created_at",
  time: string,
): Promise<void> {
  await database.query(`update mails set ${column} = now() + $2::interval where id = $1`, [id, time]);
  await database.query("notify mails");
}

describe("a queued mail", () => {
  test("arrives once, complete as text and as HTML, and nothing of it stays in the database", async () => {
    const { logged } = start();
    const id = await enqueue();
    const row = await sent(id);
    expect(row).toMatchObject({ body: null, attempts: 1, next_attempt_at: null, last_error: null });
    expect(smtp.received).toHaveLength(1);
    const { from, to, mail, raw } = smtp.received[0]!;
    expect({ from, to }).toEqual({ from: "svc@svc.example.com", to: ["ada@example.com"] });
    expect(mail).toMatchObject({ subject: verify.subject, messageId: `<${id}@svc.example.com>` });
    expect(mail.text?.trim()).toBe(verify.text.trim());
    expect(mail.html?.trim()).toBe(verify.html.trim());
    expect(raw).toContain("Auto-Submitted: auto-generated");
    expect(inspect(logged)).not.toContain("4711");
  });

  test("is not readable in the database while it waits", async () => {
    const id = await enqueue();
    const { body } = (await read(id))!;
    expect(body).toBeInstanceOf(Buffer);
    expect(body!.includes("4711")).toBe(false);
  });

  test("arrives once, however many processes look for work", async () => {
    for (let i = 0; i < 4; i++) start();
    const ids: string[] = [];
    for (let i = 0; i < 12; i++) ids.push(await enqueue(`ada+${i}@example.com`));
    for (const id of ids) expect(await sent(id)).toMatchObject({ attempts: 1 });
    const recipients = smtp.received.flatMap(({ to }) => to);
    expect(recipients.toSorted()).toEqual(Array.from({ length: 12 }, (_, i) => `ada+${i}@example.com`).toSorted());
  });

  test("that waited while no process ran is sent by the next one", async () => {
    const id = await enqueue();
    start();
    await sent(id);
    expect(smtp.received).toHaveLength(1);
  });

  test("of a transaction that was rolled back is never sent", async () => {
    start();
    const rolledBack = inTransaction(database.db, async (tx) => {
      await enqueueMail({ keyRing }, tx, "eve@example.com", verify);
      throw new Error("rolled back");
    });
    await expect(rolledBack).rejects.toThrow("rolled back");
    await sent(await enqueue());
    expect(smtp.received.map(({ to }) => to)).toEqual([["ada@example.com"]]);
  });

  test("keeps its headers and its recipient, whatever names in it hold", async () => {
    start();
    const device = "x\r\nBcc: eve@example.com\r\n\r\n.\r\nRCPT TO:<eve@example.com>";
    await sent(await enqueue("ada@example.com", newSignInMail({ service, at: new Date(), address: device, device })));
    const { to, mail } = smtp.received[0]!;
    expect(to).toEqual(["ada@example.com"]);
    expect(mail.bcc).toBeUndefined();
  });

  test("goes to one mailbox, though the address has a comma in it", async () => {
    start();
    await sent(await enqueue("ada,eve@example.com"));
    expect(smtp.received).toHaveLength(1);
    expect(smtp.received[0]!.to).toHaveLength(1);
  });
});

test.each(["ada@example.com\r\nBcc: eve@example.com", "ada\n@example.com", "ada@example.com\r", "ada", ""])(
  "%j is refused as a recipient, and nothing is queued",
  async (recipient) => {
    await expect(enqueue(recipient)).rejects.toMatchObject({ code: "invalid_request" });
    expect((await database.query("select from mails")).rowCount).toBe(0);
  },
);

describe("a mail that is not taken at first", () => {
  test("is sent later, when the server takes it", async () => {
    smtp.refuse({ at: "recipient", answer: { code: 451, text: "4.7.1 Greylisted, come back" } });
    const { logged } = start();
    const id = await enqueue();
    const row = await failed(id);
    expect(row).toMatchObject({ attempts: 1, last_error: "The mail server answered 451 4.7.1 to RCPT TO." });
    expect(row.delay_ms).toBeGreaterThan(20_000);
    expect(row.delay_ms).toBeLessThanOrEqual(30_000);
    await expect.poll(() => logged.map(({ text }) => text)).toEqual(["mail not sent, it will be tried again"]);
    smtp.refuse(undefined);
    await setTime(id, "next_attempt_at", "0 s");
    expect(await sent(id)).toMatchObject({ attempts: 2, last_error: null });
    expect(smtp.received).toHaveLength(1);
  });

  test("is tried again while no server answers", async () => {
    await smtp.stop();
    start();
    const { last_error } = await failed(await enqueue());
    expect(last_error).toBe("The mail could not be handed to the mail server: ECONNREFUSED.");
  });

  test("is tried again when the server takes too long", async () => {
    smtp.refuse({ at: "content", answer: "none" });
    start({ timing: { attemptMs: 300 } });
    expect(await failed(await enqueue())).toMatchObject({ attempts: 1, last_error: "The mail server took too long." });
  });

  test("is given up at once when the server will never take it, and no word of the server's is kept", async () => {
    smtp.refuse({ at: "content", answer: { code: 554, text: `5.7.1 Blocked address ${link}` } });
    const { logged } = start();
    const row = await failed(await enqueue());
    expect(row).toMatchObject({ body: null, attempts: 1, next_attempt_at: null });
    expect(row.given_up_at).not.toBeNull();
    expect(row.last_error).toBe("The mail server answered 554 5.7.1 to DATA.");
    expect(inspect(logged, { depth: null })).not.toContain("4711");
  });

  test("is given up a day after it was queued", async () => {
    smtp.refuse({ at: "recipient", answer: { code: 451, text: "not now" } });
    const { logged } = start();
    const id = await enqueue();
    await failed(id);
    await setTime(id, "created_at", "-24 h");
    await setTime(id, "next_attempt_at", "0 s");
    const row = await rowWhere(id, ({ given_up_at }) => given_up_at !== null, "the mail is given up");
    expect(row).toMatchObject({ body: null, next_attempt_at: null });
    // The line is written after the row.
    await expect.poll(() => logged.at(-1)).toMatchObject({ level: "error", text: "mail given up" });
  });

  test("whose sealed body can't be opened is tried again and then given up, and stops no other", async () => {
    start();
    const id = await enqueue();
    await sent(id);
    const broken = newId();
    await database.query(
      "insert into mails (id, recipient, kind, body, next_attempt_at) select $1, recipient, kind, $2, now() from mails limit 1",
      [broken, Buffer.alloc(64)],
    );
    await sent(await enqueue("eve@example.com"));
    expect(await failed(broken)).toMatchObject({ last_error: "Something went wrong on our side." });
  });
});

describe("a process that ends in the middle", () => {
  test("and was killed leaves its mail to another, when its claim has ended", async () => {
    const id = await enqueue();
    expect(await claimMail(database.db, 120_000)).toMatchObject({ id });
    // Held for as long as an attempt may take.
    expect(await claimMail(database.db, 120_000)).toBeUndefined();
    start();
    await sent(await enqueue("eve@example.com"));
    expect(smtp.received.flatMap(({ to }) => to)).toEqual(["eve@example.com"]);
    await setTime(id, "claimed_until", "0 s");
    expect(await sent(id)).toMatchObject({ attempts: 2 });
    expect(smtp.received.flatMap(({ to }) => to)).toEqual(["eve@example.com", "ada@example.com"]);
  });

  test("and is stopped gives its mail to another at once", async () => {
    smtp.refuse({ at: "content", answer: "none" });
    const first = start();
    const id = await enqueue();
    await eventually(
      () => smtp.refused,
      (count) => count === 1,
      { what: "the mail is under way" },
    );
    await first.stop();
    expect(await read(id)).toMatchObject({ attempts: 0, claimed_until: null, last_error: null });
    smtp.refuse(undefined);
    start();
    expect(await sent(id)).toMatchObject({ attempts: 1 });
    expect(smtp.received).toHaveLength(1);
  });
});

describe("a mail server with a login", () => {
  let guarded: SmtpDouble;
  const urlOf = (host: string, query = ""): string =>
    `smtp://svc:${encodeURIComponent(PASSWORD)}@${host}:${guarded.port}${query}`;

  beforeEach(async () => void (guarded = await startSmtpDouble({ user: "svc", password: PASSWORD })));
  afterEach(() => guarded.stop());

  test("gets the password over STARTTLS", async () => {
    start({ smtpUrl: urlOf("localhost") });
    await sent(await enqueue());
    expect(guarded.received).toMatchObject([{ secure: true, user: "svc" }]);
  });

  test("that refuses the password has the mail tried again, and the password is in no line and no row", async () => {
    const text = `5.7.8 Wrong password ${PASSWORD} ${encodeURIComponent(PASSWORD)}`;
    guarded.refuse({ at: "login", answer: { code: 535, text } });
    const { logged } = start({ smtpUrl: urlOf("127.0.0.1", "/?logger=true&debug=true") });
    const row = await failed(await enqueue());
    expect(row.last_error).toBe("The mail server answered 535 5.7.8 to AUTH PLAIN.");
    expect(row.delay_ms).toBeGreaterThan(0);
    for (const shown of [inspect(logged, { depth: null }), inspect(row)]) expect(shown).not.toMatch(/pass.*4711/i);
  });

  test("whose certificate isn't trusted doesn't get the password, unless it is on this machine", async () => {
    // Leads to this machine too, but by a name that says nothing of it.
    start({ smtpUrl: urlOf("127.1") });
    const { last_error } = await failed(await enqueue());
    expect(last_error).toMatch(/could not be handed to the mail server: UNABLE_TO_VERIFY_LEAF_SIGNATURE/);
    expect(guarded.received).toEqual([]);
  });

  test("without TLS doesn't get the password, unless the address says that it may", async () => {
    const url = `smtp://svc:${encodeURIComponent(PASSWORD)}@127.1:${smtp.port}`;
    const strict = start({ smtpUrl: url });
    const id = await enqueue();
    await failed(id);
    expect(smtp.received).toEqual([]);
    await strict.stop();
    await setTime(id, "next_attempt_at", "0 s");
    start({ smtpUrl: `${url}?requireTLS=false` });
    await sent(id);
  });
});

describe("without a mail server", () => {
  const filesOf = async (): Promise<string[]> => (await readdir(join(dataDirectory, "mail"))).toSorted();

  test("a mail is a line in the log and a complete message in a file that the operator alone can read", async () => {
    const { logged } = start({ smtpUrl: undefined });
    const id = await enqueue("ada@example.com", resetMail({ service, link }));
    expect(await sent(id)).toMatchObject({ body: null, attempts: 1 });
    const { subject, text } = resetMail({ service, link });
    expect(logged[0]).toMatchObject({ level: "info", fields: { recipient: "ada@example.com", subject, text } });
    const [name, ...others] = await filesOf();
    expect(others).toEqual([]);
    expect(name).toMatch(new RegExp(`^\\d{8}T\\d{6}Z-${id}\\.eml$`));
    const file = join(dataDirectory, "mail", name!);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(dataDirectory, "mail"))).mode & 0o777).toBe(0o700);
    const content = await readFile(file, "utf8");
    expect(content, "the link can be copied out of the file").toMatch(new RegExp(`^${RegExp.escape(link)}\r$`, "m"));
    const mail = await PostalMime.parse(content);
    expect(mail).toMatchObject({ subject, to: [{ address: "ada@example.com" }], from: { address: `svc@${service}` } });
    expect(mail.text?.trim()).toBe(text.trim());
    expect(mail.html).toContain(`href="${link}"`);
  });

  test("a mail waits while the data directory can't be written", async () => {
    await writeFile(join(dataDirectory, "mail"), "no directory");
    start({ smtpUrl: undefined });
    const id = await enqueue();
    expect((await failed(id)).last_error).toMatch(/could not be written to .*\.eml: E[A-Z]+\.$/);
    await rm(join(dataDirectory, "mail"));
    await setTime(id, "next_attempt_at", "0 s");
    await sent(id);
    expect(await filesOf()).toHaveLength(1);
  });

  test("files are removed after 7 days, also when there is a mail server by then, and what else is in the directory stays", async () => {
    const first = start({ smtpUrl: undefined });
    await sent(await enqueue());
    await first.stop();
    const [old] = await filesOf();
    const [eightDaysAgo, own] = [new Date(Date.now() - 8 * 86_400_000), "own.eml"];
    await writeFile(join(dataDirectory, "mail", own), "kept");
    for (const name of [old!, own]) await utimes(join(dataDirectory, "mail", name), eightDaysAgo, eightDaysAgo);
    start();
    await eventually(filesOf, (names) => !names.includes(old!), { what: "the old file is removed" });
    expect(await filesOf()).toEqual([own]);
  });
});

test("mails that have ended are deleted after 7 days, and those that wait are not", async () => {
  const first = start();
  const [old, young] = [await enqueue(), await enqueue()];
  await Promise.all([sent(old), sent(young)]);
  await first.stop();
  const waiting = await enqueue();
  await setTime(old, "created_at", "-8 d");
  await setTime(young, "created_at", "-6 d");
  await setTime(waiting, "next_attempt_at", "1 h");
  start();
  await eventually(
    () => read(old),
    (row) => row === undefined,
    { what: "the old mail is deleted" },
  );
  expect(await read(young)).toBeDefined();
  expect(await read(waiting)).toBeDefined();
});

test("a control plane as it is shipped takes the mails that are queued in its database", async () => {
  const planes = await startControlPlanes(1);
  try {
    const { db } = planes.database;
    const keyRingOfPlane = await openKeyRing(db, planes.env["SVC_MASTER_KEY_FILE"]!);
    const id = await enqueueMail({ keyRing: keyRingOfPlane }, db, "ada@example.com", verify);
    const directory = join(planes.agents[0]!.dataDirectory, "mail");
    const names = await eventually(
      () => readdir(directory).catch(() => []),
      (found) => found.some((name) => name.endsWith(".eml")),
      { what: "the mail's file is there" },
    );
    expect(names).toEqual([expect.stringContaining(id)]);
    const mail = await PostalMime.parse(await readFile(join(directory, names[0]!)));
    expect(mail).toMatchObject({ subject: verify.subject, from: { address: "svc@[127.0.0.1]" } });
  } finally {
    await planes.stop();
  }
});
