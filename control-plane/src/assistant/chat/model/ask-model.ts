import type { Tool } from "../../tool.ts";
import type { ModelCall, ProblemCode } from "../part.ts";
import type { HistoryMessage } from "./history.ts";
import { boundedFetch } from "./bounded-fetch.ts";

/** A model behind any API that speaks OpenAI's chat completions. */
export interface ModelConfig {
  /** The API's base address: `/chat/completions` is below it. */
  url: string;
  name: string;
  key?: string;
}

export interface ModelTiming {
  /** The longest silence of a model. */
  silentMs: number;
  /** The longest answer, all steps together. */
  turnMs: number;
}

export const MODEL_TIMING: ModelTiming = { silentMs: 30_000, turnMs: 120_000 };

/** Enough for a page of words; an answer in a chat is a paragraph. */
const OUTPUT_TOKENS_MAX = 2_000;
/** A server that keeps to the limit above sends less. UTF-16 units. */
const TEXT_LENGTH_MAX = 20_000;
/** The same for the calls of a step: their names and inputs lie in the conversation, and go back to the model. */
const CALLS_LENGTH_MAX = 20_000;
/** More than any model reads at once. */
const TOKENS_TOLD_MAX = 10_000_000;
/** English and JSON have some 4 characters for each token; 3 is on the safe side. */
const CHARACTERS_PER_TOKEN = 3;

export interface Question {
  instructions: string;
  messages: HistoryMessage[];
  tools: readonly Tool[];
  signal: AbortSignal;
  onText: (delta: string) => Promise<void>;
}

export interface ModelStep {
  text: string;
  calls: ModelCall[];
}

/** A model gave no answer of use: its message is for the person. */
export class ModelProblem extends Error {
  readonly code: ProblemCode;
  /** For the operator's log; never holds a key, or words of the model's server, which may quote one. */
  readonly reason: string;

  constructor(code: ProblemCode, message: string, reason = code as string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

/** The most that a question can cost. */
export function estimateTokens({ instructions, messages, tools }: Question): number {
  const described = tools.map((each) => each.name + each.description + JSON.stringify(schemaOf(each)));
  const length = instructions.length + JSON.stringify(messages).length + described.join("").length;
  return Math.ceil(length / CHARACTERS_PER_TOKEN) + OUTPUT_TOKENS_MAX;
}

/**
 * Asks the model once: its words are told as they come, and the calls that it wants are returned, not made.
 * @param onTokens is told what the question costs: an estimate as soon as the model answers, then its own figure
 * @throws ModelProblem; the signal's reason when that is aborted by somebody else than its time limit
 */
export async function askModel(
  { url, name, key }: ModelConfig,
  { silentMs, turnMs }: ModelTiming,
  question: Question,
  onTokens: (tokens: number) => void,
): Promise<ModelStep> {
  // They take some time and memory to load, which a process without a chat does not need.
  const [{ jsonSchema, stepCountIs, streamText, tool }, { createOpenAICompatible }] = await Promise.all([
    import("ai"),
    import("@ai-sdk/openai-compatible"),
  ]);
  const silence = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const hear = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silentMs);
  };
  hear();
  const step: ModelStep = { text: "", calls: [] };
  let callsLength = 0;
  try {
    const provider = createOpenAICompatible({
      name: "model",
      baseURL: url,
      includeUsage: true,
      fetch: boundedFetch,
      ...(key !== undefined && { apiKey: key }),
    });
    const { fullStream } = streamText({
      model: provider.chatModel(name),
      instructions: question.instructions,
      messages: question.messages,
      tools: Object.fromEntries(
        question.tools.map((each) => [
          each.name,
          tool({ description: each.description, inputSchema: jsonSchema(schemaOf(each)) }),
        ]),
      ),
      stopWhen: stepCountIs(1),
      maxOutputTokens: OUTPUT_TOKENS_MAX,
      maxRetries: 0,
      abortSignal: AbortSignal.any([question.signal, silence.signal]),
      // It would be written to standard error.
      onError: () => undefined,
    });
    for await (const part of fullStream) {
      hear();
      if (part.type === "text-delta") {
        if (step.text === "") onTokens(estimateTokens(question));
        step.text += part.text;
        await question.onText(part.text);
        if (step.text.length > TEXT_LENGTH_MAX) {
          throw new ModelProblem("model_nonsense", "The model went on without an end. Ask again, or in other words.");
        }
      } else if (part.type === "tool-call") {
        callsLength += part.toolName.length + (JSON.stringify(part.input) ?? "").length;
        if (callsLength > CALLS_LENGTH_MAX) {
          throw new ModelProblem("model_nonsense", "The model asked for too much at once. Ask for less at a time.");
        }
        step.calls.push({ id: part.toolCallId, tool: part.toolName, input: objectOf(part.input) });
      } else if (part.type === "finish") {
        onTokens(tokensOf(part.totalUsage.totalTokens) ?? estimateTokens(question));
      } else if (part.type === "error") {
        throw part.error;
      }
    }
    question.signal.throwIfAborted();
    silence.signal.throwIfAborted();
    return step;
  } catch (error) {
    throw problemOf(error, question.signal, silence.signal, { silentMs, turnMs });
  } finally {
    clearTimeout(timer);
    // Ends the request in any case.
    silence.abort();
  }
}

/** A figure that no answer can have is none: it would give a person's tokens back, or be no number of the database. */
function tokensOf(told: number | undefined): number | undefined {
  return told !== undefined && Number.isInteger(told) && told >= 0 && told <= TOKENS_TOLD_MAX ? told : undefined;
}

/** Arguments that are no JSON fit no tool. */
function objectOf(input: unknown): Record<string, unknown> {
  return typeof input === "object" && input !== null ? (input as Record<string, unknown>) : { "not JSON": true };
}

const schemas = new WeakMap<Tool, object>();

/** The tool's input as JSON Schema, which takes a while to make. */
function schemaOf(tool: Tool): object {
  const schema = schemas.get(tool) ?? tool.input.toJSONSchema();
  schemas.set(tool, schema);
  return schema;
}

function problemOf(error: unknown, asked: AbortSignal, silence: AbortSignal, timing: ModelTiming): unknown {
  if (asked.aborted) {
    const isTime = (asked.reason as Error | undefined)?.name === "TimeoutError";
    return isTime ? slow(`did not come to an end within ${timing.turnMs / 1000} s`) : asked.reason;
  }
  if (error instanceof ModelProblem) return error;
  if (silence.aborted) return slow(`said nothing for ${timing.silentMs / 1000} s`);
  const { statusCode, name = "?" } = error as { statusCode?: number; name?: string };
  if (statusCode !== undefined && statusCode >= 300) return refused(statusCode);
  if (isUnreachable(error)) {
    return new ModelProblem(
      "model_unavailable",
      "The model can't be reached at the moment. Try again later.",
      "unreachable",
    );
  }
  return new ModelProblem(
    "model_nonsense",
    "The model's answer could not be read. Ask again, or in other words.",
    name,
  );
}

function slow(what: string): ModelProblem {
  return new ModelProblem("model_slow", `The model ${what}. Try again, or ask for less at a time.`);
}

function refused(status: number): ModelProblem {
  const reasons: Record<number, string> = {
    401: "refuses the platform's key: an operator has to look at SVC_LLM_KEY_FILE",
    403: "refuses the platform's key: an operator has to look at SVC_LLM_KEY_FILE",
    404: "does not know the model: an operator has to look at SVC_LLM_URL and SVC_LLM_MODEL",
    429: "has too much to do: try again in a minute",
  };
  const reason = reasons[status] ?? "is in trouble: try again later";
  return new ModelProblem(
    "model_unavailable",
    `The model's server answered ${status}: it ${reason}.`,
    `status ${status}`,
  );
}

/** A connection that could not be made or broke, however deep a library has put the network's own error; a redirect as well. */
function isUnreachable(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (/^fetch failed|^Cannot connect to API|unexpected redirect/.test(each.message)) return true;
    if (/^(E[A-Z]+|UND_ERR_\w+)$/.test(String((each as NodeJS.ErrnoException).code))) return true;
  }
  return false;
}
