import type { Command } from "commander";
import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { byCommand, insertAudit } from "../platform/audit.store.ts";
import { inTransaction, type Db } from "../platform/database/database.ts";
import {
  insertUser,
  markEmailVerified,
  readUser,
  readUserByEmail,
  readUsers,
  type UserRow,
} from "../accounts/users.store.ts";
import { changeTier } from "../accounts/change-tier.ts";
import { checkEmail } from "../accounts/email.ts";
import { inviteUser } from "../accounts/identity/joining/invite-user.ts";
import { markOperator } from "../accounts/operators/mark-operator.ts";
import { invalid, quoted } from "../platform/invalid.ts";
import { checkTier, DEFAULT_TIER, type Tiers } from "../accounts/tier.ts";
import type { Print } from "./output.ts";
import { textTable } from "@svc/shared/platform/text-table.ts";

export interface AccountCommandDeps {
  withDatabase<T>(work: (db: Db) => Promise<T>): Promise<T>;
  tiers: Tiers;
  /** {base_url} */
  baseUrl: string;
  print: Print;
}

interface CreateOptions {
  email: string;
  tier: string;
  verified: boolean;
  operator: boolean;
}

/** `user create|invite|list|verify|tier|operator`. */
export function registerUserCommands(program: Command, deps: AccountCommandDeps): void {
  const user = program.command("user").description("the people who may use the service");

  user
    .command("create")
    .description("add a user")
    .requiredOption("--email <address>", "e-mail address")
    .option("--tier <tier>", `one of ${Object.keys(deps.tiers).join(", ")}`, DEFAULT_TIER)
    .option("--verified", "take the address as verified", false)
    .option("--operator", "make the user an operator", false)
    .action(async ({ email, tier, verified, operator }: CreateOptions) => {
      checkEmail(email);
      checkTier(deps.tiers, tier);
      const created = await deps.withDatabase((db) =>
        inTransaction(db, async (tx) => {
          const row = await insertUser(tx, { id: newId(), email, tier, emailVerifiedAt: verified ? new Date() : null });
          if (!row) throw invalid(`There is a user with the address ${email} already.`);
          await audit(tx, "user.create", row);
          return operator ? markOperator(tx, row.id, true) : row;
        }),
      );
      deps.print(userView(created), `${email} was created (tier ${tier}, ${verified ? "verified" : "not verified"}).`);
    });

  user
    .command("invite")
    .description("print a one-time link to set a password, and add the user if there is none")
    .requiredOption("--email <address>", "e-mail address")
    .option("--tier <tier>", `of a new user: one of ${Object.keys(deps.tiers).join(", ")}`, DEFAULT_TIER)
    .action(async ({ email, tier }: { email: string; tier: string }) => {
      checkTier(deps.tiers, tier);
      const { baseUrl } = deps;
      const invited = await deps.withDatabase((db) => inviteUser(db, { email, tier, baseUrl }));
      const expiresAt = invited.expiresAt.toISOString();
      const value = { user_id: invited.userId, email: invited.email, link: invited.link, expires_at: expiresAt };
      const made = invited.made ? `${invited.email} was created (tier ${tier}).\n\n` : "";
      deps.print(
        value,
        `${made}${invited.link}\n\nThe link sets the password of ${invited.email}, once, until ${expiresAt}.`,
      );
    });

  user
    .command("list")
    .description("all users")
    .action(async () => {
      const rows = await deps.withDatabase(readUsers);
      const users = rows.map((row) => Object.assign(userView(row), { can_sign_in: row.can_sign_in }));
      const cells = users.map(({ email, tier, email_verified, can_sign_in, operator, created_at, id }) => [
        email,
        tier,
        email_verified ? "yes" : "no",
        can_sign_in ? "yes" : "no",
        operator ? "yes" : "no",
        created_at,
        id,
      ]);
      deps.print(users, textTable([["EMAIL", "TIER", "VERIFIED", "SIGNS IN", "OPERATOR", "CREATED", "ID"], ...cells]));
    });

  user
    .command("verify")
    .description("take the user's address as verified")
    .requiredOption("--email <address>", "e-mail address")
    .action(async ({ email }: { email: string }) => {
      const row = await change(deps, email, async (tx, id) => {
        const verified = await markEmailVerified(tx, id);
        await audit(tx, "user.verify", verified);
        return verified;
      });
      deps.print(userView(row), `${row.email} is verified.`);
    });

  user
    .command("tier")
    .description("move the user to another tier")
    .requiredOption("--email <address>", "e-mail address")
    .requiredOption("--tier <tier>", `one of ${Object.keys(deps.tiers).join(", ")}`)
    .action(async ({ email, tier }: { email: string; tier: string }) => {
      const row = await change(deps, email, async (tx, teamId) => {
        await changeTier(tx, byCommand, deps.tiers, { teamId, tier });
        return readUser(tx, teamId);
      });
      deps.print(userView(row), `${row.email} is on tier ${tier}.`);
    });

  user
    .command("operator")
    .description("let the user see and change the fleet and all teams' tiers on the pages, when signed in")
    .requiredOption("--email <address>", "e-mail address")
    .option("--revoke", "take it back: it holds from the user's next request on", false)
    .action(async ({ email, revoke }: { email: string; revoke: boolean }) => {
      const row = await change(deps, email, (tx, id) => markOperator(tx, id, !revoke));
      deps.print(userView(row), `${row.email} is ${revoke ? "no operator any more" : "an operator"}.`);
    });
}

/** @throws SvcError not_found */
export async function requireUser(db: Db, email: string): Promise<UserRow> {
  const user = await readUserByEmail(db, email);
  if (!user) throw new SvcError("not_found", `There is no user with the address ${quoted(email)}: see \`user list\`.`);
  return user;
}

function change(
  { withDatabase }: AccountCommandDeps,
  email: string,
  update: (tx: Db, id: string) => Promise<UserRow>,
): Promise<UserRow> {
  return withDatabase((db) => inTransaction(db, async (tx) => update(tx, (await requireUser(tx, email)).id)));
}

function audit(tx: Db, action: string, { id, tier }: UserRow): Promise<void> {
  return insertAudit(tx, { ...byCommand, action, target: `user:${id}`, detail: { tier } });
}

function userView({ id, email, tier, email_verified_at, is_operator, created_at }: UserRow) {
  return {
    id,
    email,
    tier,
    email_verified: email_verified_at !== null,
    operator: is_operator,
    created_at: created_at.toISOString(),
  };
}
