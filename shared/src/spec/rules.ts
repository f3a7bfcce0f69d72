import { offsetOfKey, type Found, type Located } from "./located.ts";
import { POSTGRES_MAJOR_DEFAULT } from "../rules/postgres-versions.ts";
import { quoted } from "./sentences.ts";
import { serviceDatabase, SERVICES_MAX } from "./service-databases.ts";

/** Finds problems that the schema has no words for, together with what the schema finds. */
export function furtherProblems(root: Located, isJson: boolean): Found[] {
  if (root.kind !== "map") return [];
  return [...markerProblems(root, isJson), ...serviceProblems(root), ...repeatedEnvKeys(root)];
}

/** The marker stands in the first line of YAML, and in a property of JSON, which has no comments. */
function markerProblems(root: Located, isJson: boolean): Found[] {
  const isGiven = property(root, "spec") !== undefined;
  if (isGiven === isJson) return [];
  if (isJson)
    return [{ offset: root.offset, path: ["spec"], message: 'is missing; give `"spec": "svc/v1"`, or "svc/v2".' }];
  const message = "belongs into svc.json only; in YAML the first line says it.";
  return [{ offset: offsetOfKey(root, ["spec"]), path: ["spec"], message }];
}

function serviceProblems(root: Located): Found[] {
  const services = property(root, "services");
  if (services?.kind !== "map") return [];
  const path = ["services"];
  const several = services.entries.length > 1 ? severalProblems(services.entries) : [];
  // The schema's library does not look at this name.
  const unlucky = services.entries
    .filter(({ key }) => key === "__proto__")
    .map(({ key, keyOffset }) => ({ offset: keyOffset, path: [...path, key], message: "can't name a service." }));
  return [...several, ...unlucky];
}

type Entries = Extract<Located, { kind: "map" }>["entries"];

/**
 * Finds problems of several services together: all are databases of one server, each with a name and a variable of its
 * own.
 */
function severalProblems(entries: Entries): Found[] {
  const [first] = entries;
  const versionOf = (value: Located): string => majorOf(property(value, "version")) ?? POSTGRES_MAJOR_DEFAULT;
  return entries.flatMap(({ key, keyOffset, value }, index) => {
    const found = (message: string): Found[] => [{ offset: keyOffset, path: ["services", key], message }];
    if (index >= SERVICES_MAX) return found(`is one too many: an app has at most ${SERVICES_MAX} databases.`);
    // Objects have such keys in an order of their own, and the first service has DATABASE_URL.
    if (/^[0-9]+$/.test(key)) return found("is a number: name a service with a letter where there are several.");
    const same = entries.slice(0, index).find((other) => serviceDatabase(other.key) === serviceDatabase(key));
    if (same) return found(`would have the same variable and database as ${same.key}: choose another name.`);
    const [version, ofFirst] = [versionOf(value), versionOf(first!.value)];
    if (version === ofFirst) return [];
    return found(
      `asks for PostgreSQL ${version}, and ${first!.key} for ${ofFirst}: an app's databases are of one server.`,
    );
  });
}

function majorOf(version: Located | undefined): string | undefined {
  return version?.kind === "scalar" && typeof version.value === "string" ? version.value.split(".", 1)[0] : undefined;
}

function repeatedEnvKeys(root: Located): Found[] {
  const env = property(root, "env");
  if (env?.kind !== "list") return [];
  const seen = new Set<unknown>();
  return env.items.flatMap((item, index) => {
    if (item.kind !== "scalar" || typeof item.value !== "string") return [];
    const isRepeated = seen.has(item.value);
    seen.add(item.value);
    if (!isRepeated) return [];
    const message = `${quoted(item.value.split("=", 1)[0])} is listed twice: keep one of them.`;
    return [{ offset: item.offset, path: ["env", index], message }];
  });
}

function property(root: Located, name: string): Located | undefined {
  return root.kind === "map" ? root.entries.find(({ key }) => key === name)?.value : undefined;
}
