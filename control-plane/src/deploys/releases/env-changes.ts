/** The variables that differ between two environments, by name: values are nobody's business here. */
export interface EnvChanges {
  added: string[];
  removed: string[];
  changed: string[];
}

interface MarkedEnv {
  env: Readonly<Record<string, string>>;
  /** Names of those that are sealed. */
  sealed: readonly string[];
  /** When each was written, by its name. */
  writtenAt: Readonly<Record<string, string>>;
}

/**
 * The time when it was written decides about a variable that is sealed in one of the two, and not its value (decision 033): else
 * whoever may write it could try what it is. One whose time is not known counts as changed.
 */
export function envChanges(from: MarkedEnv, to: MarkedEnv): EnvChanges {
  const [before, after] = [new Map(Object.entries(from.env)), new Map(Object.entries(to.env))];
  const sealed = new Set([...from.sealed, ...to.sealed]);
  const differs = (key: string): boolean => {
    if (!sealed.has(key)) return before.get(key) !== after.get(key);
    return from.writtenAt[key] === undefined || from.writtenAt[key] !== to.writtenAt[key];
  };
  return {
    added: [...after.keys()].filter((key) => !before.has(key)).toSorted(),
    removed: [...before.keys()].filter((key) => !after.has(key)).toSorted(),
    changed: [...after.keys()].filter((key) => before.has(key) && differs(key)).toSorted(),
  };
}
