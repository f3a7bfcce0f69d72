import { jsonOrUndefined } from "@svc/shared/json.ts";
import { expand, type Variables } from "./expand.ts";
import type { Escape } from "./logical-lines.ts";
import { quoted, refused, type Place } from "./refusal.ts";
import { isGoSpace } from "./white-space.ts";

/** The words of a COPY or an ADD: a JSON array of strings, or words between white space. */
export function copyWords(instruction: Place & { rest: string }): string[] {
  const words = arrayOrWords(instruction);
  if (words.length >= 2) return words;
  throw refused(instruction, `${quoted(instruction.rest)} has to name a source and a target.`);
}

function arrayOrWords(instruction: Place & { rest: string }): string[] {
  const { rest } = instruction;
  const words = rest.startsWith("[") ? jsonOrUndefined(rest) : undefined;
  if (Array.isArray(words) && words.every((word) => typeof word === "string")) return words;
  // Go reads the array and passes over what follows; nobody means that. A COPY may begin with a pattern, as `[a-z]*`.
  if (rest.startsWith("[") && instruction.name !== "COPY")
    throw refused(instruction, `${quoted(rest)} is not a JSON array of strings. Correct it.`);
  return rest.split(/[\t ]+/);
}

/** Name and value of each variable that an ENV or an ARG sets; a value of undefined is not known here. */
export function assignments(
  { name, rest }: { name: string; rest: string },
  variables: Variables,
  escape: Escape,
): { name: string; value: string | undefined; isGiven: boolean }[] {
  const words = quotedWords(rest, escape);
  if (name === "ENV" && !words[0]?.includes("=")) {
    const [, key = rest, value = ""] = /^([^\t\v\f\r ]+)[\t\v\f\r ]+([^]*)$/.exec(rest) ?? [];
    return [{ name: key, value: expand(value, variables, escape), isGiven: true }];
  }
  return words.map((word) => {
    const [, key = word, , value] = /^([^=]*)(=([^]*))?$/.exec(word) ?? [];
    return { name: key, value: expand(value ?? "", variables, escape), isGiven: word.includes("=") };
  });
}

/** Split at white space that is neither in quotes nor escaped; quotes and escapes stay. */
export function quotedWords(text: string, escape: Escape): string[] {
  const words: string[] = [];
  let word = "";
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]!;
    if (char === escape && quote !== "'") word += char + (text[(at += 1)] ?? "");
    else if (quote === "" && isGoSpace(char)) {
      if (word !== "") words.push(word);
      word = "";
    } else {
      if (char === quote) quote = "";
      else if (quote === "" && (char === "'" || char === '"')) quote = char;
      word += char;
    }
  }
  return word === "" ? words : [...words, word];
}
