/** Waits until `observe` gives a value; fails with what it saw last after `deadlineMs`. */
export async function eventually<T>(
  what: string,
  observe: () => Promise<T | undefined> | T | undefined,
  deadlineMs = 10_000,
): Promise<T> {
  const deadline = Date.now() + deadlineMs;
  let last: unknown;
  for (;;) {
    try {
      const value = await observe();
      if (value !== undefined) return value;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`${what} did not happen within ${deadlineMs} ms`, { cause: last });
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
