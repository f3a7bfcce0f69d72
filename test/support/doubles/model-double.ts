import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A request as a model's server gets it (OpenAI's API reference, Create chat completion). */
export interface ModelRequest {
  model: string;
  messages: { role: string; content?: unknown; tool_calls?: { function: { name: string; arguments: string } }[] }[];
  tools?: { function: { name: string } }[];
}

/** A step of the model's: words, calls of tools, or something that no model should answer. */
export interface ModelReply {
  say?: string;
  /** Arguments that are a text are sent as they are. */
  calls?: { name: string; arguments: object | string }[];
  status?: number;
  /** The whole body, in place of the protocol's. */
  raw?: string;
  /** Never ends: before its first word, or after its last. */
  hangs?: "before" | "after";
  /** Left out: no usage is told. */
  tokens?: number;
}

/** A model that does as its script says, over HTTP on loopback. */
export interface ModelDouble {
  /** For SVC_LLM_URL. */
  url: string;
  /** The key that it takes. */
  key: string;
  requests: ModelRequest[];
  /** The bodies of all requests, as they came. */
  bodies: string[];
  /** Requests whose sender has gone before their end. */
  abandoned: number;
  script: (request: ModelRequest) => ModelReply | Promise<ModelReply>;
  close(): Promise<void>;
}

/** The last thing that was said to the model. */
export function lastOf({ messages }: ModelRequest): { role: string; content: string } {
  const { role, content } = messages.at(-1)!;
  return { role, content: typeof content === "string" ? content : JSON.stringify(content) };
}

/** Replies in this order; the last one is given again and again. */
export function inTurn(...replies: ModelReply[]): ModelDouble["script"] {
  let next = 0;
  return () => replies[Math.min(next++, replies.length - 1)]!;
}

export async function startModelDouble(): Promise<ModelDouble> {
  const double: ModelDouble = {
    url: "",
    key: "sk-the-key-of-the-double",
    requests: [],
    bodies: [],
    abandoned: 0,
    script: () => ({ say: "Hello." }),
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  const server = createServer((req, res) => void answer(double, req, res));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  double.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return double;
}

async function answer(double: ModelDouble, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const body = await text(req);
  if (req.url !== "/v1/chat/completions") return void res.writeHead(404).end();
  if (req.headers.authorization !== `Bearer ${double.key}`) {
    const error = { message: `Incorrect API key provided: ${req.headers.authorization}` };
    return void res.writeHead(401, { "Content-Type": "application/json" }).end(JSON.stringify({ error }));
  }
  res.on("close", () => {
    if (!res.writableEnded) double.abandoned += 1;
  });
  const request = JSON.parse(body) as ModelRequest;
  double.bodies.push(body);
  double.requests.push(request);
  const reply = await double.script(request);
  if (reply.hangs === "before") return;
  res.writeHead(reply.status ?? 200, {
    "Content-Type": reply.status === undefined ? "text/event-stream" : "application/json",
  });
  if (reply.status !== undefined) return void res.end(JSON.stringify({ error: { message: "no" } }));
  if (reply.raw !== undefined) return void res.end(reply.raw);
  const send = (value: object): void => void res.write(`data: ${JSON.stringify(value)}\n\n`);
  const chunk = (delta: object, finish: string | null = null): void =>
    send({
      id: "c1",
      object: "chat.completion.chunk",
      created: 1,
      model: request.model,
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  chunk({ role: "assistant", content: "" });
  for (const word of reply.say?.match(/\S+\s*/g) ?? []) chunk({ content: word });
  for (const [index, call] of (reply.calls ?? []).entries()) {
    const args = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
    const half = Math.ceil(args.length / 2);
    const id = `call-${double.requests.length}-${index}`;
    chunk({
      tool_calls: [{ index, id, type: "function", function: { name: call.name, arguments: args.slice(0, half) } }],
    });
    chunk({ tool_calls: [{ index, function: { arguments: args.slice(half) } }] });
  }
  if (reply.hangs === "after") return;
  chunk({}, reply.calls ? "tool_calls" : "stop");
  if (reply.tokens !== undefined) {
    send({
      id: "c1",
      object: "chat.completion.chunk",
      created: 1,
      model: request.model,
      choices: [],
      usage: { prompt_tokens: reply.tokens - 1, completion_tokens: 1, total_tokens: reply.tokens },
    });
  }
  res.end("data: [DONE]\n\n");
}
