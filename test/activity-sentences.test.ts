import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { activityText } from "../control-plane/dashboard/src/text/activity/activity-text.ts";

const SOURCES = join(import.meta.dirname, "../control-plane/src");

/** The actions that the code puts together, which no search finds. */
const COMPOSED = [
  ...["start", "stop", "restart", "unhealthy", "recovered"].map((verb) => `app.${verb}`),
  ...["deploy", "rollback"].flatMap((kind) => ["success", "failed", "canceled"].map((end) => `${kind}.${end}`)),
  ...["do", "leave"].map((decision) => `card.${decision}`),
];

/** The actions in the lines that name one, of the files that write to the audit log. */
function actionsIn(text: string): string[] {
  const lines = /insertAudit|[aA]udit(?:Person)?\(/.test(text) ? (text.match(/\baction\b.*/g) ?? []) : [];
  return lines.flatMap((line) => [...line.matchAll(/"([a-z_]+\.[a-z_]+)"/g)].map(([, action]) => action!));
}

test("each action of the audit log has a sentence on the activity page", () => {
  const files = globSync("**/*.ts", { cwd: SOURCES }).filter((file) => !file.includes(".test."));
  const found = files.flatMap((file) => actionsIn(readFileSync(join(SOURCES, file), "utf8")));
  expect(found.length).toBeGreaterThan(70);
  const entry = { id: "1", at: "", actor: "system", email: null, key_name: null, request_id: null, detail: {} };
  const hasNone = (action: string): boolean =>
    activityText({ ...entry, action, target: "thing:1", target_name: "shop" }) === `${action} (shop)`;
  expect(hasNone("no.such")).toBe(true);
  expect([...new Set([...found, ...COMPOSED])].filter(hasNone)).toEqual([]);
});
