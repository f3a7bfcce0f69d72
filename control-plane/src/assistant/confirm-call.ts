import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { asWord } from "./as-data.ts";
import type { Confirmations } from "./confirmations.ts";
import { ToolRefusal } from "./service.ts";
import type { Intent, Tool } from "./tool.ts";

/** The question's name among those that a call could ask. */
const QUESTION = "confirm";
const SENTENCE_LENGTH_MAX = 500;
/** A client may cut a longer text, and nobody reads it before they agree. */
const SHOWN_LENGTH_MAX = 8_000;

/** A person has agreed to the call; or they have not, and the client is answered with the question or the refusal. */
export type Consent = { given: true } | { given: false; answer: string | InputRequiredResult };

/**
 * Finds out whether a person has agreed to a call. A client that can ask its person does (protocol of 2026: the question is the answer to
 * the first call, and the second one carries the person's), and `confirm` is worth nothing there. From any other one `confirm` is taken.
 * @throws ToolRefusal when the call is too long to be shown
 */
export async function consentTo(
  { name, effect }: Pick<Tool, "name" | "effect">,
  intent: Intent,
  { confirm, input }: { confirm: unknown; input: Record<string, unknown> },
  confirmations: Confirmations,
  { mcpReq }: ServerContext,
): Promise<Consent> {
  const shown = shownOf(intent);
  if (!canAsk(mcpReq.envelope)) {
    return confirm === intent.confirm ? { given: true } : { given: false, answer: proposalOf(intent) };
  }
  const response = inputResponse(mcpReq.inputResponses, QUESTION);
  if (response.kind !== "elicit") {
    const requestState = confirmations.ask(name, input);
    return {
      given: false,
      answer: inputRequired({ inputRequests: { [QUESTION]: question(intent, shown, effect) }, requestState }),
    };
  }
  if (response.action !== "accept") return refused("Your person did not agree.");
  const said = acceptedContent(mcpReq.inputResponses, QUESTION)?.[QUESTION];
  if (said !== (effect === "destroys" ? intent.confirm : true)) {
    return refused(
      effect === "destroys" ? "Your person typed another name than the app's." : "Your person did not agree.",
    );
  }
  const refusal = await confirmations.refusalOf(mcpReq.requestState(), name, input);
  return refusal === undefined ? { given: true } : refused(`${refusal} Call again, so that your person is asked.`);
}

function refused(reason: string): Consent {
  return { given: false, answer: `Nothing was done. ${reason}` };
}

/** A client that names no kind of question asks by forms. */
function canAsk(envelope: Readonly<Record<string, unknown>> | undefined): boolean {
  const { elicitation } = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as { elicitation?: { form?: unknown } };
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || Object.keys(elicitation).length === 0;
}

function question(intent: Intent, shown: string, effect: Tool["effect"]) {
  const field =
    effect === "destroys"
      ? { type: "string" as const, title: `Type ${intent.confirm} to confirm`, maxLength: 100 }
      : { type: "boolean" as const, title: "Do it" };
  return inputRequired.elicit({
    message: `An assistant wants to ${shown}`,
    requestedSchema: { type: "object", properties: { [QUESTION]: field }, required: [QUESTION] },
  });
}

function proposalOf(intent: Intent): string {
  return (
    `Nothing was done yet. This would ${shownOf(withoutValues(intent))}\n` +
    `Show it to your person. Once they agree, call again with confirm: ${JSON.stringify(intent.confirm)}.`
  );
}

/** An answer holds no value of a variable: a model may have it from its person. A person who is asked sees what they agree to. */
function withoutValues(intent: Intent): Intent {
  const { env } = (intent.request.body ?? {}) as { env?: object };
  if (env === undefined) return intent;
  const hidden = Object.fromEntries(Object.keys(env).map((key) => [key, "…"]));
  return { ...intent, request: { ...intent.request, body: { env: hidden } } };
}

function shownOf({ sentence, request: { method, path, body } }: Intent): string {
  const sent = body === undefined ? "" : ` ${JSON.stringify(body)}`;
  const shown = visible(`${asWord(sentence, SENTENCE_LENGTH_MAX)}: ${method} ${path}${sent}`);
  if (shown.length <= SHOWN_LENGTH_MAX) return shown;
  throw new ToolRefusal(
    `Nothing was done. The call has ${shown.length} characters to show to your person, and at most ${SHOWN_LENGTH_MAX} are ` +
      "allowed: do it in several calls.",
  );
}

/** Characters that have no look of their own, or turn the order of others around, are shown by their numbers. */
function visible(text: string): string {
  return text.replaceAll(/[\p{C}\u2028\u2029]/gu, (character) =>
    character.length > 1 ? "\ufffd" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
