import { ENV_VALUE_BYTES_MAX } from "@svc/shared/rules/env-key.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { sealContext } from "../../../ports.ts";
import { ToolRefusal } from "../../service.ts";
import type { Intent, ShownRequest, Tool } from "../../tool.ts";
import type { Turn } from "../chat-parts.ts";
import type { Call } from "../grammar/intents.ts";
import { openHiddenValues } from "../hidden-values.ts";
import { isPlaceholder, restoreValues } from "../hide-values.ts";
import type { ModelCall } from "../part.ts";
import { CARD_LIFE_MS, type CardContent } from "./card.ts";
import { cardView } from "./card-view.ts";
import { insertCard } from "./cards.store.ts";
import { readNamedApps } from "./named-apps.ts";
import { openCardKeys } from "./signing-key.ts";

/** A call of a tool that changes something, as it was checked. */
export interface ChangingCall {
  call: ModelCall;
  tool: Tool;
  intent: Intent;
}

/**
 * Shows the person what the calls would do, as one card that they decide on. Nothing is done.
 * @throws ToolRefusal for a placeholder that stands for no value, and a value that is too long
 */
export async function propose(turn: Turn, calls: readonly ChangingCall[]): Promise<void> {
  const { ctx, owner, conversationId, service, answer } = turn;
  const values = await openHiddenValues(ctx.db, ctx.keyRing, conversationId);
  const actions = calls.map(({ call, tool }) => actionOf(call, tool, values));
  const content: CardContent = {
    sentence: calls.map(sentenceOf).join(", then "),
    requests: calls.map(shownRequest),
    destroys: calls.some(({ tool }) => tool.effect === "destroys"),
    actions,
    apps: await readNamedApps(service, actions),
  };
  const id = newId();
  const row = await insertCard(ctx.db, {
    id,
    conversationId,
    content: ctx.keyRing.seal(JSON.stringify(content), sealContext.card(id)),
    expiresAt: new Date(ctx.clock.now().getTime() + CARD_LIFE_MS),
  });
  const view = cardView(await openCardKeys(ctx.db, ctx.keyRing), owner, row, ctx.clock.now());
  await answer.proposed({ type: "card", card: id, calls: calls.map(({ call }) => withoutValues(call)) }, view);
}

/** A person is told which of the values are not their own. */
function sentenceOf({ call, intent: { sentence } }: ChangingCall): string {
  const chosen = Object.entries(variablesOf(call.input) ?? {}).filter(([, text]) => !isPlaceholder(text));
  if (chosen.length === 0) return sentence;
  return `${sentence} (the value of ${chosen.map(([key]) => key).join(", ")} is the assistant's, not yours)`;
}

/** The request without the person's own values. One that a model has made up is shown, since the person agrees to it. */
function shownRequest({ call, intent: { request } }: ChangingCall): ShownRequest {
  const variables = variablesOf(call.input);
  if (!variables) return request;
  const shown = Object.entries(variables).map(([key, text]) => [key, isPlaceholder(text) ? "…" : text]);
  return { ...request, body: { env: Object.fromEntries(shown) as unknown } };
}

/** The call as it will be made: with values, and without waiting, since the page follows a deploy itself. */
function actionOf({ tool: name, input }: Call, tool: Tool, values: ReadonlyMap<number, string>): Call {
  const own = "wait_seconds" in tool.input.shape ? { ...input, wait_seconds: 0 } : input;
  const variables = variablesOf(own);
  if (!variables) return { tool: name, input: own };
  const restored = Object.entries(variables).map(([key, text]) => [key, valueOf(key, text, values)]);
  return { tool: name, input: { ...own, variables: Object.fromEntries(restored) as unknown } };
}

function valueOf(key: string, text: string, values: ReadonlyMap<number, string>): string {
  const value = restoreValues(text, values);
  if (value !== undefined && value.length <= ENV_VALUE_BYTES_MAX) return value;
  // A placeholder that is repeated would fill the memory.
  if (value !== undefined) throw new ToolRefusal(`The value for ${key} has more than ${ENV_VALUE_BYTES_MAX} bytes.`);
  throw new ToolRefusal(`There is no value ${text} for ${key}: ask the person to write ${key}=value.`);
}

/** A value that a model has made up is one as well. */
function withoutValues(call: ModelCall): ModelCall {
  const variables = variablesOf(call.input);
  if (!variables) return call;
  const hidden = Object.entries(variables).map(([key, text]) => [key, isPlaceholder(text) ? text : "…"]);
  return { ...call, input: { ...call.input, variables: Object.fromEntries(hidden) as unknown } };
}

function variablesOf({ variables }: Call["input"]): Record<string, string> | undefined {
  return typeof variables === "object" && variables !== null ? (variables as Record<string, string>) : undefined;
}
