import { SvcError } from "@svc/shared/errors.ts";
import { isAppName } from "@svc/shared/rules/app-name.ts";
import { isId, newId } from "@svc/shared/rules/ids.ts";
import type { Db } from "../../platform/database/database.ts";
import { hasControlCharacter, invalid, quoted, withoutUnseen } from "../../platform/invalid.ts";
import { isScope, SCOPES } from "../../platform/scope.ts";
import { lockTierOf } from "../lock-tier.ts";
import { holdTeam } from "../teams/find-team.ts";
import { readMemberships } from "../teams/read-memberships.ts";
import { apiKeyPrefix, hashApiKey, makeApiKey } from "./api-key.ts";
import { countKeys, insertApiKey, type ApiKeyRow } from "./api-keys.store.ts";

const NAME_LENGTH_MAX = 60;
/** Keys of a person that have not ended: programs that people sign in get a new one each month. */
const KEYS_MAX = 100;
/** A person has up to 100 keys, and a list or an export shows all of them. */
const KEY_APPS_MAX = 100;

export interface NewKey {
  /** The maker. */
  userId: string;
  /** The team that it acts in. */
  teamId: string;
  name: string;
  /** Null for all that its maker's role allows. */
  scopes: readonly string[] | null;
  /** Names of apps; null for all of the team. */
  apps: readonly string[] | null;
  /** Null for no end. */
  expiresAt: Date | null;
}

/**
 * Makes a key. Its value is returned this once; only a hash is stored.
 * @throws SvcError invalid_request, not_found when the maker is not in the team, key_limit
 */
export async function makeKey(tx: Db, key: NewKey): Promise<ApiKeyRow & { value: string }> {
  const { userId, teamId, name, expiresAt } = key;
  checkName(name);
  const scopes = checkList(key.scopes, isScope, `a scope; use some of ${SCOPES.join(", ")}`);
  checkAppCount(key.apps);
  const apps = checkList(key.apps, isAppName, "the name of an app");
  // The personal team stands for the person: two requests at once make no key beyond the limit.
  await lockTierOf(tx, userId);
  // Whoever takes the maker out of the team ends this key too, or comes first.
  if (teamId !== userId && isId(teamId)) await holdTeam(tx, teamId);
  if (!(await readMemberships(tx, userId)).some((each) => each.teamId === teamId)) {
    throw new SvcError("not_found", `There is no team ${quoted(teamId)} that the key's maker is in.`);
  }
  if ((await countKeys(tx, userId)) >= KEYS_MAX) {
    throw new SvcError(
      "key_limit",
      `There are ${KEYS_MAX} keys of this person, which is the most allowed: revoke one first.`,
    );
  }
  const value = makeApiKey();
  const [prefix, hash] = [apiKeyPrefix(value), hashApiKey(value)];
  const row = await insertApiKey(tx, { id: newId(), userId, teamId, name, prefix, hash, scopes, apps, expiresAt });
  return { ...row, value };
}

function checkName(name: string): void {
  if (withoutUnseen(name) !== "" && name.length <= NAME_LENGTH_MAX && !hasControlCharacter(name)) return;
  throw invalid(
    `${quoted(name)} can't be a key's name: use 1 to ${NAME_LENGTH_MAX} characters that can be seen, on one line, and none ` +
      "that turns the direction of writing.",
  );
}

function checkAppCount(apps: readonly string[] | null): void {
  if (apps === null || apps.length <= KEY_APPS_MAX) return;
  throw invalid(
    `The list of apps has ${apps.length} names: a key is for at most ${KEY_APPS_MAX} apps. Make several keys, or leave the ` +
      "list out to allow all.",
  );
}

function checkList(items: readonly string[] | null, fits: (item: string) => boolean, allowed: string): string[] | null {
  const wrong = items?.find((item) => !fits(item));
  if (wrong !== undefined) throw invalid(`${quoted(wrong)} is not ${allowed}.`);
  if (items?.length === 0) throw invalid("An empty list allows nothing: leave it out to allow all.");
  return items === null ? null : [...new Set(items)];
}
