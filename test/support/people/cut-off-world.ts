import { openDatabase } from "@svc/control-plane/platform/database/database.ts";
import { FAULT_PAGE } from "@svc/control-plane/accounts/identity/oidc/refused.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { startTestApi, type Reply, type TestApi } from "../api/http.ts";
import { startCuttingLine } from "../database/cutting-line.ts";
import { startLyingProvider, type LyingProvider } from "./lying-provider.ts";
import { mailsTo } from "./outbox.ts";
import { Browser } from "./person.ts";

export const BASE_URL = "http://localhost:8080";

/** A request that may lose its database, and what is so once it was done. */
export interface Attempt {
  send(): Promise<Reply>;
  /** Facts: none is so before, and all are so when it was done. */
  done(): Promise<Record<string, boolean>>;
  /** The attempt uses up what it was begun with, such as a ticket, before it is done. */
  isOnce?: true;
  /** What the person does next, whether it was done or not. */
  goOn?(wasDone: boolean): Promise<void>;
}

export interface CutOffWorld {
  /** A process whose database goes away in the middle of a request. */
  cut: TestApi;
  /** Another one of the same installation, which looks at what is left. */
  http: TestApi;
  liar: LyingProvider;
  now(): Date;
  /** Moves the time of second factors on, so that the next code is not the last one. */
  later(): void;
  newEmail(): string;
  /** The same browser at the process that is cut off. */
  atCut(browser: Browser): Browser;
  /** Whether the query finds exactly one row. */
  isOne(query: string, ...values: unknown[]): Promise<boolean>;
  isAudited(email: string, action: string): Promise<boolean>;
  isMailed(email: string, kind: string): Promise<boolean>;
  hasSession(email: string): Promise<boolean>;
  canSignIn(email: string, password: string): Promise<boolean>;
  /**
   * Attempts it with the database away at the first statement, then at the second, until it is done without that. The statement is
   * executed, and its answer is lost: of a COMMIT nobody knows whether it was.
   * @returns how many statements it has
   * @throws when an attempt is half done, hangs, or is answered otherwise than by a plain fault
   */
  loseAtEachStatement(begin: () => Promise<Attempt>): Promise<number>;
  stop(): Promise<void>;
}

/** A person who waits longer takes it for hanging. */
const ANSWER_MS_MAX = 10_000;

export async function startCutOffWorld(): Promise<CutOffWorld> {
  let now = new Date();
  let people = 0;
  const liar = await startLyingProvider();
  const options = {
    baseUrl: BASE_URL,
    clock: { ...systemClock, now: () => now },
    signUp: { mode: "open", domains: [] } as const,
    oidc: { providers: [liar.provider] },
  };
  const http = await startTestApi(options);
  const line = await startCuttingLine(http.database.url);
  const db = openDatabase({ url: line.url, log: silentLogger });
  const cut = await startTestApi({ ...options, database: { ...http.database, db } });
  // Loads what signs people in.
  await new Browser(cut).join("first@example.com");

  const count = async (query: string, values: unknown[]) => (await http.database.query(query, values)).rows.length;

  /** @returns whether the line was cut, and whether the attempt was done */
  async function loseAt(statement: number, { send, done }: Attempt) {
    line.cutAt(statement, "after");
    const begunAt = Date.now();
    const { status, text, headers, json } = await send();
    const tookMs = Date.now() - begunAt;
    const wasCut = line.mend();
    const facts = await done();
    const wasDone = Object.values(facts)[0] === true;
    const place = headers.get("Location");
    const problems = [
      Object.values(facts).some((isSo) => isSo !== wasDone) && "it is half done",
      !wasCut && !wasDone && "it is not done",
      tookMs > ANSWER_MS_MAX && "it hangs",
      (status >= 500 || place === FAULT_PAGE) !== wasCut && "the answer is not true",
      status >= 500 && Object.keys(json).join(" ") !== "error request_id" && "the answer tells too much",
    ].filter((problem) => problem !== false);
    if (problems.length > 0) {
      const seen = { statement, wasCut, status, text, place, facts, tookMs };
      throw new Error(`${problems.join(", ")}: ${JSON.stringify(seen)}`);
    }
    return { wasCut, wasDone };
  }

  return {
    cut,
    http,
    liar,
    now: () => now,
    later: () => void (now = new Date(now.getTime() + 30_000)),
    newEmail: () => `ann${++people}@example.com`,
    atCut(browser) {
      const same = new Browser(cut, { address: browser.address });
      same.cookie = browser.cookie;
      return same;
    },
    isOne: async (query, ...values) => (await count(query, values)) === 1,
    isAudited: async (email, action) =>
      (await count(
        "select from audit_log where action = $2 and actor in (select 'user:' || id from users where email = $1)",
        [email, action],
      )) > 0,
    isMailed: async (email, kind) => (await mailsTo(http, email)).some((mail) => mail.kind === kind),
    hasSession: async (email) =>
      (await count("select from sessions s join users u on u.id = s.user_id where u.email = $1", [email])) > 0,
    canSignIn: async (email, password) => (await new Browser(http).signIn(email, password)).status === 200,
    async loseAtEachStatement(begin) {
      let attempt: Attempt | undefined;
      for (let statement = 1; ; statement++) {
        // Attempts that fail count, and these are many.
        await http.database.query("delete from auth_rate_limits");
        attempt ??= await begin();
        const before = await attempt.done();
        if (Object.values(before).includes(true)) throw new Error(`it is done before: ${JSON.stringify(before)}`);
        const { wasCut, wasDone } = await loseAt(statement, attempt);
        if (!wasDone && !attempt.isOnce) continue;
        await attempt.goOn?.(wasDone);
        if (!wasCut) return statement - 1;
        attempt = undefined;
      }
    },
    async stop() {
      await cut.stop();
      await db.destroy();
      await line.close();
      await http.stop();
      await liar.stop();
    },
  };
}
