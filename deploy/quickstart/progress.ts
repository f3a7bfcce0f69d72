/** The quickstart's progress, one line each on standard output. */

export function say(line = ""): void {
  process.stdout.write(`${line}\n`);
}

/** A thing that takes a moment. */
export function step(what: string): void {
  say(`• ${what} …`);
}

export function done(what: string): void {
  say(`✓ ${what}`);
}
