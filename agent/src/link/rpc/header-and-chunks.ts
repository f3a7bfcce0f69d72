/** Messages of a call that sends a header once, and then bytes. */
interface Message<Header> {
  part:
    { case: "header"; value: Header } | { case: "chunk"; value: Uint8Array } | { case: undefined; value?: undefined };
}

export type Chunks = AsyncGenerator<Uint8Array>;

/** Reads the header, which comes first. @param refuse makes the error for what is no such call */
export async function headerAndChunks<Header>(
  messages: AsyncIterable<Message<Header>>,
  refuse: (what: string) => Error,
): Promise<{ header: Header; chunks: Chunks }> {
  const iterator = messages[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done || first.value.part.case !== "header") throw refuse("the header is missing");
  async function* chunks(): Chunks {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      const { part } = next.value;
      if (part.case !== "chunk") throw refuse("the header comes once");
      yield part.value;
    }
  }
  return { header: first.value.part.value, chunks: chunks() };
}
