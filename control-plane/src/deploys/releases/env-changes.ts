/** The variables that differ between two environments, by name: values are nobody's business here. */
export interface EnvChanges {
  added: string[];
  removed: string[];
  changed: string[];
}

export function envChanges(from: Readonly<Record<string, string>>, to: Readonly<Record<string, string>>): EnvChanges {
  const [before, after] = [new Map(Object.entries(from)), new Map(Object.entries(to))];
  return {
    added: [...after.keys()].filter((key) => !before.has(key)).toSorted(),
    removed: [...before.keys()].filter((key) => !after.has(key)).toSorted(),
    changed: [...after.keys()].filter((key) => before.has(key) && before.get(key) !== after.get(key)).toSorted(),
  };
}
