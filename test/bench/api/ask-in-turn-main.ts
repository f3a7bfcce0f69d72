/** Asks for one address again and again. Usage: ask-in-turn-main.ts URL KEY, with a channel to its parent: each message starts a turn. */

const REQUESTS = 500;
/**
 * The pause between two requests: a turn so takes some seconds, and sees the followers' pace several times.
 * Milliseconds.
 */
const PAUSE_MS = 10;

const [url, key] = process.argv.slice(2) as [string, string];

/** One request after the other: milliseconds each. */
async function askInTurn(): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < REQUESTS; i++) {
    const beganAt = performance.now();
    const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`answered ${response.status}`);
    times.push(performance.now() - beganAt);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return times;
}

process.on("message", () => void askInTurn().then((times) => process.send?.(times)));
