import { afterAll, beforeAll, expect, test } from "vitest";
import { untilWaiting } from "../../support/database/until-waiting.ts";
import { startTestApi, type Reply, type TestApi } from "../../support/api/http.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { mailsTo } from "../../support/people/outbox.ts";
import { Browser, PASSWORD, tokenOf } from "../../support/people/person.ts";

let http: TestApi;
let count = 0;
const brief = ({ status, json }: Reply): unknown[] => [status, json["error"]];
const newEmail = (): string => `bea${++count}@example.test`;

beforeAll(async () => {
  http = await startTestApi({ signUp: { mode: "invite", domains: ["example.test"] } });
});
afterAll(() => http?.stop());

async function linkTo(email: string, kind: string): Promise<string> {
  await http.identity.settled();
  return tokenOf((await mailsTo(http, email)).findLast((mail) => mail.kind === kind)!.link);
}

const NEW_PASSWORD = "another long password";

test.each(["reset", "change"])(
  "whoever knew the password takes no address with a link after a %s of it",
  async (how) => {
    const [own, thiefs] = [newEmail(), newEmail()];
    const browser = await new Browser(http).join(own);
    const thief = new Browser(http);
    await thief.signIn(own);
    expect((await thief.post("/auth/address", { password: PASSWORD, email: thiefs })).status).toBe(202);
    const token = await linkTo(thiefs, "change_of_address");
    if (how === "reset") {
      await browser.post("/auth/forgot", { email: own });
      await browser.post("/auth/reset", { token: await linkTo(own, "reset"), password: NEW_PASSWORD });
    } else {
      await browser.post("/auth/password", { password: PASSWORD, new_password: NEW_PASSWORD });
    }
    expect(brief(await thief.post("/auth/address/confirm", { token }))).toEqual([410, "link_invalid"]);
    expect((await new Browser(http).signIn(own, NEW_PASSWORD)).status).toBe(200);
  },
);

test("a reset that is asked for while the address changes goes to the new one", async () => {
  const [before, after] = [newEmail(), newEmail()];
  await new Browser(http).join(before);
  await http.parts.db.transaction().execute(async (tx) => {
    const row = await tx
      .selectFrom("users")
      .select("id")
      .where("email", "=", before)
      .forUpdate()
      .executeTakeFirstOrThrow();
    await new Browser(http).post("/auth/forgot", { email: before });
    await untilWaiting(http.database);
    await tx.updateTable("users").set({ email: after }).where("id", "=", row.id).execute();
  });
  await http.identity.settled();
  expect((await mailsTo(http, before)).map(({ kind }) => kind)).not.toContain("reset");
});

test("a mail that can't be queued at once is queued when the database has its place again", async () => {
  const email = newEmail();
  const browser = await new Browser(http).join(email);
  const rolledBack = async (): Promise<number> => {
    const query = "select xact_rollback::integer as count from pg_stat_database where datname = current_database()";
    return (await http.database.query(query)).rows[0]!["count"] as number;
  };
  await http.database.query("alter table mails rename to mails_away");
  const before = await rolledBack();
  expect((await browser.post("/auth/forgot", { email })).status).toBe(202);
  await eventually(rolledBack, (count) => count > before, { what: "an attempt has failed" });
  await http.database.query("alter table mails_away rename to mails");
  await http.identity.settled();
  expect((await mailsTo(http, email)).map(({ kind }) => kind)).toContain("reset");
});

test("a change of address leads to no domain that may have no account", async () => {
  const browser = await new Browser(http).join(newEmail());
  const reply = await browser.post("/auth/address", { password: PASSWORD, email: "bea@elsewhere.test" });
  expect(brief(reply)).toEqual([403, "sign_up_closed"]);
});

test("whoever has other mails sent to an address does not keep its owner from a reset", async () => {
  const own = newEmail();
  await new Browser(http).join(own);
  const other = await new Browser(http).join(newEmail());
  for (let sent = 0; sent < 4; sent += 1) await other.post("/auth/address", { password: PASSWORD, email: own });
  expect((await new Browser(http).post("/auth/forgot", { email: own })).status).toBe(202);
  expect(await linkTo(own, "reset")).not.toBe("");
});
