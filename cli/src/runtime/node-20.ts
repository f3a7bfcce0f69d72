/** Adds what the shared sources use and Node 20 does not have yet (package.json, engines). */
const groupBy = <K, T>(items: Iterable<T>, keyOf: (item: T, index: number) => K): Map<K, T[]> => {
  const groups = new Map<K, T[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index);
    index += 1;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
};

if (!("groupBy" in Map)) Object.defineProperty(Map, "groupBy", { value: groupBy, configurable: true, writable: true });
