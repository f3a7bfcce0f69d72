/** Does the work on each item, in their order, with at most `atATime` begun and not ended. @throws what `work` throws first */
export async function inParallel<T>(
  items: readonly T[],
  atATime: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const workOnRest = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: atATime }, workOnRest));
}
