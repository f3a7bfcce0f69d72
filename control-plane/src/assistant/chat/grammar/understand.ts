import type { Slots } from "./form.ts";
import { INTENTS, type Call, type Intent } from "./intents.ts";

/** Facts that the grammar knows besides the sentence. */
export interface Surroundings {
  /** The app of the page that the person looks at. */
  app?: string | undefined;
  /** The deploy that the page shows. */
  deploy?: string | undefined;
  /** Names of the person's apps. */
  apps: readonly string[];
  /** Names of the tools that the person has. */
  tools: ReadonlySet<string>;
}

/** `calls`: to be made, or shown first. `words`: a question back, or help; nothing is done. */
export type Understood =
  | { kind: "calls"; says: string; calls: readonly Call[] }
  | { kind: "words"; words: string }
  | { kind: "nothing"; words: string };

/** No sentence of the grammar is longer. */
const LENGTH_MAX = 1_000;
const APPS_NAMED_MAX = 10;
const COMPLETIONS_MAX = 8;
const SETTING_EXAMPLE = "«value 1»";

/**
 * Finds out what a sentence asks for.
 * @param text with placeholders for values (`hideValues`)
 */
export function understand(text: string, around: Surroundings): Understood {
  const sentence = plain(text);
  if (/^(help|\?|hi|hello|hey|what can you do|what can i (do|say|write))?$/i.test(sentence)) {
    return { kind: "words", words: help(around) };
  }
  if (/^why$/i.test(sentence) && around.deploy !== undefined && around.tools.has("read_deploy")) {
    return {
      kind: "calls",
      says: "why this deploy failed",
      calls: [{ tool: "read_deploy", input: { deploy: around.deploy } }],
    };
  }
  let complaint: string | undefined;
  for (const intent of INTENTS) {
    for (const slots of matches(intent, sentence)) {
      const app = appOf(intent, slots, around);
      if (typeof app === "string") return whatItMeans(intent, app, slots, around);
      complaint ??= app.complaint;
    }
  }
  if (complaint !== undefined) return { kind: "words", words: complaint };
  return { kind: "nothing", words: `That was not understood. ${help(around)}` };
}

/** Whole sentences that begin with the text, the page's app first. */
export function complete(text: string, around: Surroundings): string[] {
  const begun = text.trimStart().toLowerCase();
  const apps = [...new Set([...(around.app === undefined ? [] : [around.app]), ...around.apps])];
  const sentences = [
    ...INTENTS.filter((intent) => has(around, intent)).flatMap((intent) => examplesOf(intent, apps)),
    "help",
  ];
  const fitting = sentences.filter((each) => each.toLowerCase().startsWith(begun) && each.toLowerCase() !== begun);
  return [...new Set(fitting)].slice(0, COMPLETIONS_MAX);
}

/** Each sentence for the first app before any for the second. */
function examplesOf(intent: Intent, apps: readonly string[]): string[] {
  if (intent.app === "none") return [...intent.examples("")];
  return apps.flatMap((app) => intent.examples(app)).map(withoutPlaceholder);
}

/** A person writes a value where the grammar sees a placeholder. */
function withoutPlaceholder(example: string): string {
  return example.replace(SETTING_EXAMPLE, "debug");
}

function matches({ forms }: Intent, sentence: string): Slots[] {
  return forms.map((each) => each(sentence)).filter((slots) => slots !== undefined);
}

function plain(text: string): string {
  const line = text
    .slice(0, LENGTH_MAX + 1)
    .replaceAll(/,?\s+/g, " ")
    .trim();
  if (line.length > LENGTH_MAX) return "…";
  return line
    .replace(
      /^(?:(?:please|hey|ok|okay|now|and|can you|could you|would you|i want to|i'd like to|let's|let us) )+/i,
      "",
    )
    .replace(/(?: please)?[ .!?]+$|(?: please)$/i, (end) => (line === end ? end : ""));
}

function appOf({ app: need }: Intent, { app: named }: Slots, around: Surroundings): string | { complaint: string } {
  if (need === "none") return "";
  if (named !== undefined) {
    const name = named.toLowerCase();
    return around.apps.includes(name) ? name : { complaint: `There is no app named ${name}. ${yours(around)}` };
  }
  const meant = around.app ?? (around.apps.length === 1 ? around.apps[0] : undefined);
  return meant ?? { complaint: `Which app do you mean? ${yours(around)}` };
}

function yours({ apps }: Surroundings): string {
  if (apps.length === 0) return "You have no apps yet: make one first.";
  const more = apps.length > APPS_NAMED_MAX ? `, and ${apps.length - APPS_NAMED_MAX} more` : "";
  return `${apps.length === 1 ? "Yours is" : "Yours are"} ${apps.slice(0, APPS_NAMED_MAX).join(", ")}${more}.`;
}

function whatItMeans(intent: Intent, app: string, slots: Slots, around: Surroundings): Understood {
  const [says, calls] = [intent.says(app, slots), intent.calls(app, slots)];
  const missing = calls.find(({ tool }) => !around.tools.has(tool));
  if (missing === undefined) return { kind: "calls", says, calls };
  const words = `Understood: ${says}. Your role or your key does not allow that: an owner of the team can change it.`;
  return { kind: "words", words };
}

function has({ tools }: Surroundings, intent: Intent): boolean {
  return intent.calls("app", {}).every(({ tool }) => tools.has(tool));
}

function help(around: Surroundings): string {
  const app = around.app ?? around.apps[0] ?? "shop";
  const sentences = INTENTS.filter((intent) => has(around, intent)).map((intent) => examplesOf(intent, [app])[0]!);
  return `Write, for example:\n${sentences.map((each) => `- ${each}`).join("\n")}`;
}
