/** Runs pieces of work of one key one after another, in the order of the calls, whether or not they fail. */
export type Serialize = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createSerializer(): Serialize {
  const tails = new Map<string, Promise<unknown>>();
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = tails.get(key) ?? Promise.resolve();
    const result = before.then(work, work);
    tails.set(key, result);
    const forget = (): void => {
      if (tails.get(key) === result) tails.delete(key);
    };
    result.then(forget, forget);
    return result;
  };
}
