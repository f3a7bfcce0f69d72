import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { connectService, type Service } from "../service.ts";
import { toolsOf, type CallableOperation } from "../tools-of.ts";
import type { Tool } from "../tool.ts";
import type { Answer } from "./answer.ts";
import type { Owner } from "./conversations.store.ts";
import type { ModelConfig, ModelTiming } from "./model/ask-model.ts";

/** The parts of the process that the chat works with. */
export interface ChatParts {
  /** Answers a request of the API within the process. */
  send: (request: Request, via: string) => Promise<Response>;
  /** The API's operations; known once all routes are. */
  operations: () => readonly CallableOperation[];
  /** Without one, a grammar answers. */
  model?: ModelConfig | undefined;
  modelTiming?: Partial<ModelTiming> | undefined;
  log: Logger;
  /** Is aborted when the process stops. */
  closing: AbortSignal;
}

/** The page that the person looks at. */
export interface Page {
  app?: string | undefined;
  deploy?: string | undefined;
}

/** One answer of the assistant, while it is made. */
export interface Turn {
  ctx: OperationContext;
  parts: ChatParts;
  owner: Owner;
  conversationId: string;
  page: Page;
  /** The person's, with all of their rights and no more. */
  service: Service;
  tools: readonly Tool[];
  answer: Answer;
  /** Is aborted when nobody listens any more, or the process stops. */
  signal: AbortSignal;
}

/** Headers by which the person of a request is known; the page's origin lets a session change something. */
const OF_CALLER = ["Authorization", "Cookie", "Origin", "Svc-Team"];

/** @param more headers of each request */
export function serviceOf({ send }: ChatParts, headers: Headers, more: Readonly<Record<string, string>> = {}): Service {
  const own = OF_CALLER.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return connectService((request) => send(request, "chat"), { ...Object.fromEntries(own), ...more });
}

/** @throws SvcError insufficient_scope for a key that is limited to apps: a conversation may be about others */
export function ownerOf({ actor: { userId, teamId, apps } }: OperationContext): Owner {
  if (apps === null) return { userId, teamId };
  throw new SvcError("insufficient_scope", "A key that is limited to apps has no conversations: use one that is not.");
}

export function toolsFor({ operations }: ChatParts, { actor }: OperationContext): Tool[] {
  return toolsOf(actor, operations());
}
