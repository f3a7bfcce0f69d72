import { z } from "@hono/zod-openapi";
import { ToolRefusal } from "../service.ts";
import type { Tool } from "../tool.ts";
import { propose, type ChangingCall } from "./cards/propose.ts";
import type { Turn } from "./chat-parts.ts";
import { forPerson } from "./for-person.ts";
import type { ModelCall } from "./part.ts";

/** A person could not follow more calls in one step. */
const CALLS_MAX = 10;
/** The most that is kept of a name that no tool has. */
const NAME_LENGTH_MAX = 64;

export interface MadeCalls {
  /** A card was shown: the person decides what happens next. */
  isProposed: boolean;
  /** Why calls could not be made, in words for a model. */
  misfits: string[];
}

/**
 * Makes the calls of one step. Tools that read are asked; those that change something are never run here: they become one card.
 * @param isShown whether the person reads the tools' own answers
 */
export async function makeCalls(turn: Turn, calls: readonly ModelCall[], isShown: boolean): Promise<MadeCalls> {
  const changing: ChangingCall[] = [];
  const misfits: string[] = [];
  const misfit = async (call: ModelCall, answer: string): Promise<void> => {
    misfits.push(answer);
    await turn.answer.misfit({
      type: "misfit",
      call: { ...call, tool: call.tool.slice(0, NAME_LENGTH_MAX), input: {} },
      answer,
    });
  };
  for (const [number, call] of calls.entries()) {
    const tool = turn.tools.find(({ name }) => name === call.tool);
    const input = tool?.input.safeParse(call.input);
    if (number >= CALLS_MAX) await misfit(call, `Not called: ${CALLS_MAX} calls at a time are the most.`);
    else if (!tool) await misfit(call, "There is no such tool, or the person may not use it.");
    else if (!input?.success)
      await misfit(call, `Not called, since the input is wrong: ${input && z.prettifyError(input.error)}`);
    else if (tool.intent) changing.push({ call, tool, intent: tool.intent(call.input) });
    else await look(turn, tool, call, isShown);
  }
  if (changing.length === 0) return { isProposed: false, misfits };
  try {
    await propose(turn, changing);
    return { isProposed: true, misfits };
  } catch (error) {
    if (!(error instanceof ToolRefusal)) throw error;
    for (const { call } of changing) await misfit(call, error.message);
    return { isProposed: false, misfits };
  }
}

async function look({ service, signal, answer }: Turn, tool: Tool, call: ModelCall, isShown: boolean): Promise<void> {
  const { name, title } = tool;
  const told = await tool.run({ service, signal }, call.input).catch((error: unknown) => {
    if (error instanceof ToolRefusal) return error.message;
    throw error;
  });
  await answer.looked({
    type: "looked",
    tool: name,
    title,
    ...(isShown && { text: forPerson(told) }),
    call,
    answer: told,
  });
}
