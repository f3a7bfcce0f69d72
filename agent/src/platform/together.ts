/** Waits for works that go on at the same time. @throws what one of them threw, once nothing of the others goes on either */
export async function together<T extends readonly Promise<unknown>[]>(...works: T) {
  await Promise.allSettled(works);
  return Promise.all(works);
}
