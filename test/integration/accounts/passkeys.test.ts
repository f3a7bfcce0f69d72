import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { totpCode, totpStep } from "@svc/control-plane/accounts/identity/second-factor/totp.ts";
import { deleteExpiredIdentity } from "@svc/control-plane/accounts/identity/delete-expired.ts";
import { hashToken, makeToken } from "@svc/control-plane/accounts/identity/one-time-token.ts";
import { insertChallenge } from "@svc/control-plane/accounts/identity/passkeys/passkeys.store.ts";
import { userHandleOf } from "@svc/control-plane/accounts/identity/passkeys/passkey.ts";
import { startTestApi, type Reply, type TestApi } from "../../support/api/http.ts";
import { mailsTo } from "../../support/people/outbox.ts";
import { Browser, fromBase32, PASSWORD, tokenOf } from "../../support/people/person.ts";
import { askedBy, SoftwarePasskey, type Lies } from "../../support/people/software-passkey.ts";

const BASE_URL = "http://localhost:8080";
const MINUTE_MS = 60_000;
const REFUSED = [401, "credentials_invalid"];
const NOT_MADE = [400, "invalid_request"];

let http: TestApi;
let now = new Date();

beforeAll(async () => {
  http = await startTestApi({ baseUrl: BASE_URL, clock: { ...systemClock, now: () => now } });
});
afterAll(() => http?.stop());

let people = 0;
const newEmail = () => `pia${++people}@example.com`;
const brief = ({ status, json }: Reply): unknown[] => [status, json["error"]];

async function begin(browser: Browser, proof: object = { password: PASSWORD }) {
  return askedBy(await browser.post("/auth/passkeys/begin", proof));
}

/** Adds a passkey to the account that the browser is signed in to. */
async function add(browser: Browser, passkey = new SoftwarePasskey(BASE_URL), lies: Lies = {}, name = "laptop") {
  const { ticket, options } = await begin(browser);
  const reply = await browser.post("/auth/passkeys", { ticket, name, answer: passkey.make(options, lies) });
  return { passkey, reply, id: String(reply.json["id"]) };
}

/** Somebody with a passkey. */
async function addPerson() {
  const email = newEmail();
  const browser = await new Browser(http).join(email);
  const { passkey, id, reply } = await add(browser);
  expect(reply.status).toBe(201);
  return { email, browser, passkey, id, userId: ((await browser.get("/api/me")).json["user"] as { id: string }).id };
}

async function beginSignIn(browser = new Browser(http)) {
  return askedBy(await browser.post("/auth/sign-in/passkey/begin"));
}

async function signIn(passkey: SoftwarePasskey, lies: Lies = {}, browser = new Browser(http)) {
  const { ticket, options } = await beginSignIn(browser);
  const answer = passkey.sign(options, lies);
  return { browser, reply: await browser.post("/auth/sign-in/passkey", { ticket, answer }) };
}

async function auditOf(userId: string, action: string): Promise<Record<string, unknown>[]> {
  const query = "select target, detail from audit_log where actor = $1 and action = $2";
  return (await http.database.query(query, [`user:${userId}`, action])).rows as Record<string, unknown>[];
}

const kindsTo = async (email: string) => (await mailsTo(http, email)).map(({ kind }) => kind);

describe("a passkey", () => {
  test("signs its person in without an address, and its use is written down", async () => {
    const { email, passkey, userId, browser, id } = await addPerson();
    const { browser: elsewhere, reply } = await signIn(passkey);
    expect([reply.status, reply.json, await elsewhere.who()]).toEqual([200, { redirect_to: "/" }, email]);
    const [last] = (await auditOf(userId, "session.create")).slice(-1);
    expect(last).toMatchObject({ detail: { how: "passkey", address: elsewhere.address } });
    const { json } = await browser.get("/auth/passkeys");
    expect(json).toEqual({
      passkeys: [
        {
          id,
          name: "laptop",
          transports: ["internal", "hybrid"],
          backed_up: false,
          created_at: expect.any(String),
          last_used_at: expect.any(String),
        },
      ],
    });
  });

  test("is renamed and removed by its person, who is told, and signs nobody in afterwards", async () => {
    const { email, passkey, userId, browser, id } = await addPerson();
    expect((await browser.post(`/auth/passkeys/${id}/rename`, { name: " phone " })).status).toBe(204);
    expect((await browser.get("/auth/passkeys")).json["passkeys"]).toMatchObject([{ name: "phone" }]);
    const remove = (password: string) => browser.post(`/auth/passkeys/${id}/remove`, { password });
    expect(brief(await remove("wrong horse battery"))).toEqual(REFUSED);
    expect((await remove(PASSWORD)).status).toBe(204);
    expect(brief(await remove(PASSWORD))).toEqual([404, "not_found"]);
    const removed = await signIn(passkey);
    const unknown = await signIn(new SoftwarePasskey(BASE_URL));
    expect(brief(removed.reply)).toEqual(REFUSED);
    expect(removed.reply.text).toBe(unknown.reply.text);
    for (const action of ["passkey.begin", "passkey.create", "passkey.rename", "passkey.remove"]) {
      expect([action, (await auditOf(userId, action)).length]).toEqual([action, 1]);
    }
    const mails = (await mailsTo(http, email)).filter(({ kind }) => kind === "factor_changed");
    expect(mails.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^A passkey was added .*\n\nName: laptop\n/),
      expect.stringMatching(/^A passkey was removed .*\n\nName: phone\n/),
    ]);
  });

  test("of somebody else is neither seen, renamed nor removed", async () => {
    const { id } = await addPerson();
    const other = await new Browser(http).join(newEmail());
    expect((await other.get("/auth/passkeys")).json["passkeys"]).toEqual([]);
    expect(brief(await other.post(`/auth/passkeys/${id}/rename`, { name: "mine" }))).toEqual([404, "not_found"]);
    const proof = { password: PASSWORD };
    expect(brief(await other.post(`/auth/passkeys/${id}/remove`, proof))).toEqual([404, "not_found"]);
    expect(brief(await other.post("/auth/passkeys/x/remove", proof))).toEqual([404, "not_found"]);
  });

  test("is in what people get about themselves without its key, and goes with the account", async () => {
    const { browser, passkey, userId } = await addPerson();
    const { json } = await browser.get("/auth/export");
    expect(json["passkeys"]).toMatchObject([{ name: "laptop", backed_up: false }]);
    expect(JSON.stringify(json)).not.toContain(passkey.id.toString("base64url"));
    await begin(browser);
    expect((await browser.post("/auth/delete", { password: PASSWORD })).status).toBe(204);
    expect(brief((await signIn(passkey)).reply)).toEqual(REFUSED);
    for (const table of ["passkeys", "passkey_challenges"]) {
      const { rows } = await http.database.query(`select 1 from ${table} where user_id = $1`, [userId]);
      expect([table, rows]).toEqual([table, []]);
    }
  });

  test("stays after a reset of the password and after signing out everywhere, and the mail about the reset names it", async () => {
    const { email, browser, passkey } = await addPerson();
    expect((await browser.delete("/auth/sessions")).status).toBe(200);
    await new Browser(http).post("/auth/forgot", { email });
    await http.identity.settled();
    const { link } = (await mailsTo(http, email)).find(({ kind }) => kind === "reset")!;
    const reset = { token: tokenOf(link), password: "another long password" };
    const { ticket, options } = await begin(browser);
    expect((await new Browser(http).post("/auth/reset", reset)).status).toBe(204);
    const mail = (await mailsTo(http, email)).find(({ kind }) => kind === "ways_stay");
    expect(mail?.text).toContain("Passkey 1: laptop");
    const { browser: elsewhere, reply } = await signIn(passkey);
    expect(reply.status).toBe(200);
    // What was begun with the old password is void, also in a new session.
    const answer = new SoftwarePasskey(BASE_URL).make(options);
    expect(brief(await elsewhere.post("/auth/passkeys", { ticket, name: "x", answer }))).toEqual(NOT_MADE);
  });

  test("is both factors: no code is asked for, but adding one takes password and code", async () => {
    const email = newEmail();
    const browser = await new Browser(http).join(email);
    const { json } = await browser.post("/auth/second-factor", { password: PASSWORD });
    const secret = fromBase32(json["secret"] as string);
    const code = () => totpCode(secret, totpStep(now));
    const { json: on } = await browser.post("/auth/second-factor/confirm", { code: code() });
    const [recoveryCode = ""] = on["recovery_codes"] as string[];
    now = new Date(now.getTime() + 30_000);
    const tryWith = async (proof: object) => brief(await browser.post("/auth/passkeys/begin", proof));
    expect(await tryWith({ password: PASSWORD })).toEqual(REFUSED);
    expect(await tryWith({ password: PASSWORD, code: "000000" })).toEqual(REFUSED);
    expect(await tryWith({ code: recoveryCode })).toEqual(REFUSED);
    const passkey = new SoftwarePasskey(BASE_URL);
    const { ticket, options } = await begin(browser, { password: PASSWORD, code: code() });
    const answer = passkey.make(options);
    expect((await browser.post("/auth/passkeys", { ticket, name: "key", answer })).status).toBe(201);
    const signedIn = await signIn(passkey);
    expect([signedIn.reply.json, await signedIn.browser.who()]).toEqual([{ redirect_to: "/" }, email]);
  });
});

describe("somebody without a password", () => {
  test("adds a passkey within ten minutes of their sign-in, and not later", async () => {
    const { userId, browser, passkey } = await addPerson();
    await http.database.query("delete from accounts where user_id = $1", [userId]);
    expect((await browser.post("/auth/passkeys/begin")).status).toBe(200);
    const before = now;
    now = new Date(Date.now() + 11 * MINUTE_MS);
    const late = await browser.post("/auth/passkeys/begin", { password: "" });
    expect([...brief(late), late.json["detail"]]).toEqual([
      ...REFUSED,
      expect.stringContaining("10 minutes after a sign-in"),
    ]);
    now = before;
    // A password is not there to be guessed either.
    expect((await signIn(passkey)).reply.status).toBe(200);
  });
});

describe("a passkey is not added", () => {
  test.for<[string, Lies]>([
    ["made for another origin", { origin: "https://evil.example" }],
    ["made for a port of the same host", { origin: "http://localhost:8081" }],
    ["made for another relying party", { rpId: "evil.example" }],
    ["made without verifying the person", { isVerified: false }],
    ["made for another challenge", { challenge: "A".repeat(43) }],
    ["that is a sign-in's answer", { type: "webauthn.get" }],
    ["with a longer id than the standard allows", { id: Buffer.alloc(1_024, 7) }],
    ["with a certificate of its maker", { format: { fmt: "packed", attStmt: { alg: -7, sig: "", x5c: [] } } }],
    ["with an attestation that nobody knows", { format: { fmt: "strange", attStmt: {} } }],
  ])("when it is one %s", async ([, lies]) => {
    const browser = await new Browser(http).join(newEmail());
    const { reply } = await add(browser, new SoftwarePasskey(BASE_URL), lies);
    expect(brief(reply)).toEqual(NOT_MADE);
    expect((await browser.get("/auth/passkeys")).json["passkeys"]).toEqual([]);
  });

  test("a second time with the same ticket, nor after a wrong answer", async () => {
    const browser = await new Browser(http).join(newEmail());
    const send = ({ ticket, options }: Awaited<ReturnType<typeof begin>>, lies: Lies = {}) =>
      browser.post("/auth/passkeys", { ticket, name: "x", answer: new SoftwarePasskey(BASE_URL).make(options, lies) });
    const asked = await begin(browser);
    expect([(await send(asked)).status, ...brief(await send(asked))]).toEqual([201, ...NOT_MADE]);
    const spoiled = await begin(browser);
    expect(brief(await send(spoiled, { isVerified: false }))).toEqual(NOT_MADE);
    expect(brief(await send(spoiled))).toEqual(NOT_MADE);
  });

  test("with the ticket of another person, which stays theirs", async () => {
    const ada = await new Browser(http).join(newEmail());
    const eve = await new Browser(http).join(newEmail());
    const { ticket, options } = await begin(ada);
    const body = { ticket, name: "x", answer: new SoftwarePasskey(BASE_URL).make(options) };
    expect(brief(await eve.post("/auth/passkeys", body))).toEqual(NOT_MADE);
    expect((await ada.post("/auth/passkeys", body)).status).toBe(201);
  });

  test("with the ticket of a sign-in, or after its time", async () => {
    const browser = await new Browser(http).join(newEmail());
    const answerTo = ({ ticket, options }: Awaited<ReturnType<typeof begin>>) =>
      browser.post("/auth/passkeys", { ticket, name: "x", answer: new SoftwarePasskey(BASE_URL).make(options) });
    expect(brief(await answerTo(await beginSignIn()))).toEqual(NOT_MADE);
    const late = await begin(browser);
    await http.database.query("update passkey_challenges set expires_at = now() - interval '1 second'");
    expect(brief(await answerTo(late))).toEqual(NOT_MADE);
  });

  test("when somebody has registered it, and its owner goes on signing in with it", async () => {
    const { email, passkey } = await addPerson();
    const eve = await new Browser(http).join(newEmail());
    const { reply } = await add(eve, new SoftwarePasskey(BASE_URL), { id: passkey.id });
    expect(brief(reply)).toEqual(NOT_MADE);
    const { browser } = await signIn(passkey);
    expect(await browser.who()).toBe(email);
  });

  test("twice by two requests at a time", async () => {
    const browser = await new Browser(http).join(newEmail());
    const passkey = new SoftwarePasskey(BASE_URL);
    const asked = [await begin(browser), await begin(browser)];
    const bodies = asked.map(({ ticket, options }) => ({ ticket, name: "x", answer: passkey.make(options) }));
    const same = [bodies[0]!, bodies[0]!, ...bodies];
    const replies = await Promise.all(same.map((body) => browser.post("/auth/passkeys", body)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400]);
  });

  test("by an authenticator that has one, since the browser is told which there are", async () => {
    const { browser, passkey } = await addPerson();
    const { options } = await begin(browser);
    const known = [{ type: "public-key", id: passkey.id.toString("base64url"), transports: ["internal", "hybrid"] }];
    expect(options).toMatchObject({ excludeCredentials: known });
  });

  test("beyond twenty, also when two are added at a time", async () => {
    const { browser, userId } = await addPerson();
    const fill = `insert into passkeys (id, user_id, credential_id, public_key, counter, transports, name, backed_up)
      select gen_random_uuid(), $1::uuid, uuid_send(gen_random_uuid()), '', 0, '{}', 'filler', false from generate_series(1, 18) i`;
    await http.database.query(fill, [userId]);
    const asked = [await begin(browser), await begin(browser)];
    const replies = await Promise.all(
      asked.map(({ ticket, options }) =>
        browser.post("/auth/passkeys", { ticket, name: "x", answer: new SoftwarePasskey(BASE_URL).make(options) }),
      ),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 400]);
    const full = await browser.post("/auth/passkeys/begin", { password: PASSWORD });
    expect(full.json["detail"]).toBe("You have 20 passkeys, and nobody may have more. Remove one first.");
  });

  test("without a proof that its person is there", async () => {
    const { email, browser } = await addPerson();
    for (const proof of [{}, { password: "" }, { password: "wrong horse battery" }]) {
      expect([proof, ...brief(await browser.post("/auth/passkeys/begin", proof))]).toEqual([proof, ...REFUSED]);
    }
    expect(brief(await new Browser(http).post("/auth/passkeys/begin", { password: PASSWORD }))[0]).toBe(401);
    expect((await kindsTo(email)).filter((kind) => kind === "factor_changed")).toHaveLength(1);
  });
});

describe("a sign-in is refused", () => {
  let passkey: SoftwarePasskey;
  beforeAll(async () => {
    passkey = (await addPerson()).passkey;
  });

  test.for<[string, Lies]>([
    ["of another origin", { origin: "https://evil.example" }],
    ["of a port of the same host", { origin: "http://localhost:8081" }],
    ["for another relying party", { rpId: "evil.example" }],
    ["without verifying the person", { isVerified: false }],
    ["of another challenge", { challenge: "A".repeat(43) }],
    ["that makes a passkey", { type: "webauthn.create" }],
    ["of nobody", { userHandle: "" }],
    ["of a person who does not exist", { userHandle: userHandleOf(crypto.randomUUID()) }],
  ])("when its answer is one %s", async ([, lies]) => {
    const { browser, reply } = await signIn(passkey, lies);
    expect([Math.floor(reply.status / 100), await browser.who()]).toEqual([4, undefined]);
    const again = await signIn(passkey);
    expect(again.reply.status).toBe(200);
  });

  test("with the passkey of one person and the id of another, or of another's passkey", async () => {
    const [ada, eve] = [await addPerson(), await addPerson()];
    for (const lies of [
      { userHandle: userHandleOf(ada.userId) },
      { id: ada.passkey.id },
      { id: ada.passkey.id, userHandle: userHandleOf(ada.userId) },
    ]) {
      const { browser, reply } = await signIn(eve.passkey, lies);
      expect([...brief(reply), await browser.who()]).toEqual([...REFUSED, undefined]);
    }
  });

  test("when its ticket was used, is another's, or is too old", async () => {
    const { passkey, browser } = await addPerson();
    const asked = await beginSignIn();
    const body = { ticket: asked.ticket, answer: passkey.sign(asked.options) };
    expect((await new Browser(http).post("/auth/sign-in/passkey", body)).status).toBe(200);
    expect(brief(await new Browser(http).post("/auth/sign-in/passkey", body))).toEqual(REFUSED);

    const [mine, other] = [await beginSignIn(), await beginSignIn()];
    const crossed = { ticket: other.ticket, answer: passkey.sign(mine.options) };
    expect(brief(await new Browser(http).post("/auth/sign-in/passkey", crossed))).toEqual(REFUSED);

    const adding = await begin(browser);
    const confused = { ticket: adding.ticket, answer: passkey.sign(adding.options) };
    expect(brief(await new Browser(http).post("/auth/sign-in/passkey", confused))).toEqual(REFUSED);

    const late = await beginSignIn();
    await http.database.query("update passkey_challenges set expires_at = now() - interval '1 second'");
    const slow = { ticket: late.ticket, answer: passkey.sign(late.options) };
    expect(brief(await new Browser(http).post("/auth/sign-in/passkey", slow))).toEqual(REFUSED);
  });

  test("to all but one of several requests with the same answer", async () => {
    const { passkey } = await addPerson();
    const { ticket, options } = await beginSignIn();
    const body = { ticket, answer: passkey.sign(options) };
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => new Browser(http).post("/auth/sign-in/passkey", body)),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401]);
  });

  test("when the signature counter does not go on, and the owner is told that the passkey was copied", async () => {
    const { email, passkey, userId, id } = await addPerson();
    expect((await signIn(passkey, { counter: 7 })).reply.status).toBe(200);
    for (const counter of [7, 6, 0]) {
      const { reply, browser } = await signIn(passkey, { counter });
      expect([counter, ...brief(reply), await browser.who()]).toEqual([counter, ...REFUSED, undefined]);
    }
    const detail = { reason: "signature counter", expected_above: 7, counter: 7 };
    expect((await auditOf(userId, "passkey.refuse"))[0]).toMatchObject({ target: `passkey:${id}`, detail });
    expect((await kindsTo(email)).filter((kind) => kind === "passkey_copied")).toHaveLength(3);
    expect((await signIn(passkey, { counter: 8 })).reply.status).toBe(200);
  });

  test("to one of two copies of a passkey that sign at the same time", async () => {
    const { passkey } = await addPerson();
    const asked = [await beginSignIn(), await beginSignIn()];
    const bodies = asked.map(({ ticket, options }) => ({ ticket, answer: passkey.sign(options, { counter: 5 }) }));
    const replies = await Promise.all(bodies.map((body) => new Browser(http).post("/auth/sign-in/passkey", body)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  });

  test("after twenty attempts with one passkey, known or not", async () => {
    const { passkey } = await addPerson();
    for (const one of [passkey, new SoftwarePasskey(BASE_URL)]) {
      const statuses: number[] = [];
      for (let index = 0; index < 21; index++) {
        statuses.push((await signIn(one, { isVerified: false })).reply.status);
      }
      expect(statuses).toEqual([...Array<number>(20).fill(401), 429]);
    }
  });
});

test("an authenticator that counts nothing signs in as often as its person likes", async () => {
  const { passkey } = await addPerson();
  for (let index = 0; index < 3; index++) {
    expect((await signIn(passkey, { counter: 0 })).reply.status).toBe(200);
  }
});

test("malformed answers are refused with the reason, and never a fault of ours", async () => {
  const { browser, passkey, userId } = await addPerson();
  const bytes = (text: string) => Buffer.from(text).toString("base64url");
  const texts = [
    "",
    "=",
    "\0",
    "A",
    "A".repeat(9_000),
    bytes("null"),
    bytes("[]"),
    bytes('{"type":1}'),
    bytes("x".repeat(40)),
  ];
  // CBOR: nested arrays, a map that is cut off, a text in the place of a map.
  const cbor = [Buffer.alloc(5_000, 0x81), Buffer.from("a363666d74", "hex"), Buffer.from("6161", "hex")];
  const values = [null, 1, [], {}, ...texts, ...cbor.map((buffer) => buffer.toString("base64url"))];

  /** Sends the answer with each of its parts in turn replaced; says what was not a clear refusal. */
  async function faultsOf(path: string, owner: string | null, answerTo: (challenge: string) => object) {
    const faults: unknown[] = [];
    const send = async (value: unknown, replaced: (answer: Record<string, unknown>) => Record<string, unknown>) => {
      const [ticket, challenge] = ticketAndChallenge();
      await insertChallenge(http.parts.db, challenge, owner);
      const answer = replaced({ ...answerTo(challenge.toString("base64url")) });
      const somewhere = Object.assign(new Browser(http), { cookie: browser.cookie });
      const reply = await somewhere.post(path, { ticket, answer, ...(owner === null ? {} : { name: "x" }) });
      const isClear = [400, 401, 429].includes(reply.status) && typeof reply.json["error"] === "string";
      if (!isClear) faults.push([value, answer, reply.status, reply.text]);
    };
    const { response, ...rest } = answerTo("") as { response: object };
    for (const value of values) {
      for (const key of [...Object.keys(rest), "response"].filter((name) => !UNREAD.includes(name))) {
        await send(value, (answer) => ({ ...answer, [key]: value }));
      }
      for (const key of Object.keys(response).filter((name) => !UNREAD.includes(name))) {
        await send(value, (answer) => ({ ...answer, response: { ...(answer["response"] as object), [key]: value } }));
      }
    }
    return faults;
  }
  const made = await faultsOf("/auth/passkeys", userId, (challenge) =>
    new SoftwarePasskey(BASE_URL).make({ challenge, rp: { id: "localhost" } }),
  );
  const signed = await faultsOf("/auth/sign-in/passkey", null, (challenge) =>
    passkey.sign({ challenge, rpId: "localhost" }),
  );
  expect([made, signed]).toEqual([[], []]);
});

/** What browsers say, and the service doesn't read; or takes as it comes. */
const UNREAD = ["authenticatorAttachment", "clientExtensionResults", "transports"];

function ticketAndChallenge(): [string, Buffer] {
  const ticket = makeToken();
  return [ticket, hashToken(ticket)];
}

test("challenges that nobody has answered in time are forgotten", async () => {
  await beginSignIn();
  await http.database.query("update passkey_challenges set expires_at = now() - interval '1 second'");
  const { ticket } = await beginSignIn();
  await deleteExpiredIdentity(http.parts.db, 1_000);
  const { rows } = await http.database.query("select challenge from passkey_challenges");
  expect(rows).toEqual([{ challenge: hashToken(ticket) }]);
});

test("where the service has no domain name, the refusal says so and what to do", async () => {
  const plain = await startTestApi({ database: http.database, baseUrl: "http://127.0.0.1:8080" });
  const browser = await new Browser(plain).join(newEmail());
  const replies = [
    await browser.post("/auth/passkeys/begin", { password: PASSWORD }),
    await browser.post("/auth/sign-in/passkey/begin"),
  ];
  for (const { status, json } of replies) {
    expect([status, json["detail"]]).toEqual([
      400,
      expect.stringMatching(/^Passkeys need a domain name .*SVC_BASE_URL/),
    ]);
  }
  await plain.stop();
});
