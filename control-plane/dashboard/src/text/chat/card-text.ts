import type { Card } from "../../client/answers.ts";

const STATES: Record<Exclude<Card["state"], "proposed">, string> = {
  running: "It is being done …",
  done: "Done.",
  failed: "It was not done.",
  left: "You left it: nothing was changed.",
  expired: "It was not decided in time: nothing was changed. Ask again.",
  unknown: "It is not known whether it was done: look at the app.",
};

/** The words for what came of a card; undefined while it waits for a decision. */
export function cardOutcome({ state, requests }: Pick<Card, "state" | "requests">): string | undefined {
  if (state === "failed" && requests.length > 1) return "Not all of it was done.";
  return state === "proposed" ? undefined : STATES[state];
}

/** With a capital at its beginning and an end. */
export function wholeSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".");
}

/** A verb that stands at the beginning of what a card does. */
const VERB = /^(roll (?=.*\bback\b)|[a-z]{2,9}(?= ))/i;

/** The label of the button that does it: its verb, where the sentence begins with one. */
export function doLabel({ sentence, requests }: Pick<Card, "sentence" | "requests">): string {
  const verb = requests.length === 1 ? VERB.exec(sentence)?.[1] : undefined;
  if (verb === undefined) return "Do it";
  const word = verb.toLowerCase() === "roll " ? "roll back" : verb;
  return word.charAt(0).toUpperCase() + word.slice(1);
}
