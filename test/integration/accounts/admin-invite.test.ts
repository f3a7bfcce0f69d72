import { Command } from "commander";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DEFAULT_TIERS } from "@svc/control-plane/accounts/tier.ts";
import { registerUserCommands } from "@svc/control-plane/admin/user-commands.ts";
import { startTestApi, type TestApi } from "../../support/api/http.ts";
import { Browser, PASSWORD, tokenOf } from "../../support/people/person.ts";

let http: TestApi;

beforeAll(async () => {
  http = await startTestApi();
});
afterAll(() => http?.stop());

async function invite(...args: string[]) {
  const printed: { value: Record<string, unknown>; human: string }[] = [];
  const program = new Command().exitOverride();
  registerUserCommands(program, {
    tiers: DEFAULT_TIERS,
    baseUrl: "https://svc.example.com",
    withDatabase: (work) => work(http.parts.db),
    print: (value, human) => void printed.push({ value: value as Record<string, unknown>, human }),
  });
  await program.parseAsync(["user", "invite", ...args], { from: "user" });
  return printed[0]!;
}

const rows = async (sql: string, ...values: unknown[]) => (await http.database.query(sql, values)).rows;

test("the operator gets a link for seven days, whose secret is in no log, and a user of that tier", async () => {
  const { value, human } = await invite("--email", "ada@example.com", "--tier", "pro");
  expect(value).toEqual({
    user_id: expect.any(String),
    email: "ada@example.com",
    link: expect.stringMatching(/^https:\/\/svc\.example\.com\/join#token=[A-Za-z0-9_-]{43}$/),
    expires_at: expect.stringMatching(/Z$/),
  });
  const link = value["link"] as string;
  expect(human).toContain(link);
  expect(await rows("select tier, email_verified from users where id = $1", value["user_id"])).toEqual([
    { tier: "pro", email_verified: false },
  ]);
  const [invitation] = await rows(
    "select token_hash, expires_at - created_at = interval '7 days' as week from invitations_to_join",
  );
  expect([invitation!["week"], JSON.stringify(invitation).includes(tokenOf(link))]).toEqual([true, false]);
  expect(await rows("select actor, action, target, detail from audit_log")).toEqual([
    {
      actor: "operator",
      action: "user.invite",
      target: `user:${value["user_id"] as string}`,
      detail: { tier: "pro", made: true },
    },
  ]);
  const joined = await new Browser(http).post("/auth/join", { token: tokenOf(link), name: "Ada", password: PASSWORD });
  expect(joined.status).toBe(201);
});

test("a user without a password keeps id and tier, and gets one by the link", async () => {
  const caller = await http.addCaller({ tier: "team" });
  const { value } = await invite("--email", `${caller.userId.toUpperCase()}@example.test`);
  expect(value).toMatchObject({ user_id: caller.userId, email: `${caller.userId}@example.test` });
  const browser = new Browser(http);
  await browser.post("/auth/join", { token: tokenOf(value["link"] as string), name: "Ada", password: PASSWORD });
  expect((await browser.get("/auth/session")).json["person"]).toMatchObject({ id: caller.userId, tier: "team" });
});

test("who has a password is sent to the reset, and nothing is kept of the attempt", async () => {
  await new Browser(http).join("grace@example.com");
  const before = await rows("select id from invitations_to_join union all select id from users order by id");
  await expect(invite("--email", "grace@example.com")).rejects.toThrow(
    "grace@example.com has joined already. Let them set another password at https://svc.example.com/forgot instead.",
  );
  expect(await rows("select id from invitations_to_join union all select id from users order by id")).toEqual(before);
});

test("a malformed address and an unknown tier are refused", async () => {
  await expect(invite("--email", "ada")).rejects.toThrow(/is not an e-mail address/);
  await expect(invite("--email", "lin@example.com", "--tier", "gold")).rejects.toThrow(/There is no tier "gold"/);
});
