import type { CardView, MessageView } from "@svc/control-plane/assistant/chat/chat-schemas.ts";
import type { Caller, Reply } from "../api/http.ts";

/** A turn as its events tell it. */
export interface HeardTurn {
  status: number;
  /** The code of a refusal. */
  error?: string;
  events: { event: string; data: Record<string, unknown> }[];
  /** All words together. */
  text: string;
  looked: string[];
  /** The newest state of each card, in the order that they came. */
  cards: CardView[];
  problems: string[];
}

/** Somebody who asks: by key, or signed in. */
export interface Asking {
  call: Caller["call"];
}

/** A conversation of somebody's. */
export interface Talk {
  id: string;
  say(text: string, page?: { app?: string; deploy?: string }): Promise<HeardTurn>;
  decide(card: CardView, decision: "do" | "leave", signature?: string): Promise<HeardTurn>;
  messages(): Promise<MessageView[]>;
}

export async function startTalk(person: Asking): Promise<Talk> {
  const { json, status, text: body } = await person.call("POST", "/api/conversations", {});
  if (status !== 201) throw new Error(`no conversation: ${status} ${body}`);
  return talkOf(person, (json["conversation"] as { id: string }).id);
}

/** The conversation with that id, whosever it is. */
export function talkOf({ call }: Asking, id: string): Talk {
  const path = `/api/conversations/${id}`;
  return {
    id,
    say: async (text, page = {}) => heard(await call("POST", `${path}/messages`, { text, ...page })),
    decide: async (card, decision, signature = card.signature ?? "none") =>
      heard(await call("POST", `${path}/cards/${card.id}`, { decision, signature })),
    messages: async () => (await call("GET", path)).json["messages"] as MessageView[],
  };
}

function heard({ status, text: body, json }: Reply): HeardTurn {
  const events = status === 200 ? body.split("\n\n").filter(Boolean).map(eventOf) : [];
  const data = (event: string) => events.filter((each) => each.event === event).map((each) => each.data);
  const cards = new Map(data("card").map((card) => [String(card["id"]), card]));
  return {
    status,
    ...(status !== 200 && { error: String(json["error"]) }),
    events,
    text: data("text")
      .map(({ delta }) => String(delta))
      .join(""),
    looked: data("looked").map(({ tool }) => String(tool)),
    cards: [...cards.values()] as CardView[],
    problems: data("problem").map(({ code }) => String(code)),
  };
}

function eventOf(block: string): HeardTurn["events"][number] {
  const [, event = "", data = "{}"] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
  return { event, data: JSON.parse(data) as Record<string, unknown> };
}
