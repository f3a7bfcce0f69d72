/** The variables that differ between two environments, by name: values are nobody's business here. */
export interface EnvChanges {
  added: string[];
  removed: string[];
  changed: string[];
}

/** @param isChanged decides about a variable of both in the place of its values; undefined: the values do */
export function envChanges(
  from: Readonly<Record<string, string>>,
  to: Readonly<Record<string, string>>,
  isChanged: (key: string) => boolean | undefined = () => undefined,
): EnvChanges {
  const [before, after] = [new Map(Object.entries(from)), new Map(Object.entries(to))];
  const differs = (key: string) => isChanged(key) ?? before.get(key) !== after.get(key);
  return {
    added: [...after.keys()].filter((key) => !before.has(key)).toSorted(),
    removed: [...before.keys()].filter((key) => !after.has(key)).toSorted(),
    changed: [...after.keys()].filter((key) => before.has(key) && differs(key)).toSorted(),
  };
}
