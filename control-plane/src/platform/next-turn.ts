import { setImmediate, setTimeout } from "node:timers/promises";

/** About the time that a request needs. Two hundred logs that all say something at once are told within a second. */
const PAUSE_MS = 4;

let last: Promise<unknown> = Promise.resolve();
let waiting = 0;

/**
 * Resolves in a turn of the event loop that no other caller has, and 4 ms after the one before when several wait. Whoever
 * wakes many followers waits for it first, so that a request waits for one log's followers, and not for those of all logs.
 */
export function nextTurn(): Promise<void> {
  const isAlone = waiting === 0;
  waiting += 1;
  const turn = last.then(async () => {
    await (isAlone ? setImmediate() : setTimeout(PAUSE_MS));
    waiting -= 1;
  });
  last = turn;
  return turn;
}
