import { expect, test } from "vitest";
import { STREAMS_MAX, STREAMS_OF_APP_MAX, StreamPlaces } from "./stream-places.ts";

test("a process holds so many streams of all users, and one that is left is free for anybody", () => {
  const places = new StreamPlaces();
  const take = (i: number) => {
    const owner = Math.floor(i / STREAMS_OF_APP_MAX);
    return places.take({ userId: `user-${owner}`, appId: `app-${owner}` });
  };
  const leave = Array.from({ length: STREAMS_MAX }, (_, i) => take(i));
  expect(() => take(STREAMS_MAX)).toThrow(`All ${STREAMS_MAX} streams of this server are open`);
  leave[0]!();
  leave[0]!();
  take(STREAMS_MAX);
  expect(() => take(STREAMS_MAX + 1)).toThrow(`All ${STREAMS_MAX} streams of this server are open`);
});
