import { offsetOfKey, type Found, type Located } from "./located.ts";
import { quoted } from "./sentences.ts";

/** What the schema has no words for, so that it is found together with what the schema finds. */
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
  const several = services.entries.slice(1).map(({ key, keyOffset }) => ({
    offset: keyOffset,
    path: [...path, key],
    message: "is one service too many: an app has one database in v1.",
  }));
  // The schema's library does not look at this name.
  const unlucky = services.entries
    .filter(({ key }) => key === "__proto__")
    .map(({ key, keyOffset }) => ({ offset: keyOffset, path: [...path, key], message: "can't name a service." }));
  return [...several, ...unlucky];
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
