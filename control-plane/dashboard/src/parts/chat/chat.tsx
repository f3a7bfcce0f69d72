import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { answerOf, api } from "../../client/api.ts";
import type { Message } from "../../client/answers.ts";
import type { ChatPlace } from "../../client/chat/place.ts";
import { answererText, examplesFor, limitsText } from "../../text/chat/chat-text.ts";
import { isBeingAnswered } from "../../text/chat/told.ts";
import { adoptStyle } from "../style/adopt-style.ts";
import { Show, useLoaded } from "../loaded.tsx";
import style from "./chat.css";
import { MessageField, type WritingElement } from "./message-field.tsx";
import { Messages } from "./messages.tsx";
import type { Talk } from "./talk.ts";

adoptStyle(style);

interface ChatProps {
  talk: Talk;
  /** The page that it is beside. */
  place: ChatPlace;
  /** It has a height of its own, within which it scrolls. */
  isPanel?: boolean;
  /** The place to write in has the focus from the start. */
  isFocused: boolean;
}

/** A conversation, and the place to go on with it. */
export function Chat({ talk, place, isPanel = false, isFocused }: ChatProps) {
  const about = useLoaded(() => answerOf(api.GET("/api/chat")), String(talk.turns.value));
  const draft = useSignal("");
  const field = useRef<WritingElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const messages = talk.messages.value;
  useFollowing(box, isPanel, messages);

  async function send() {
    const text = draft.peek();
    draft.value = "";
    const isKept = await talk.ask(text, place);
    if (!isKept && draft.peek() === "") draft.value = text;
  }
  function begin(text: string) {
    draft.value = text;
    field.current?.focus();
  }

  const limits = about.value && limitsText(about.value);
  return (
    <div class="chat">
      {/* It is read out when an answer is whole. */}
      <div
        class="talk"
        ref={box}
        role="log"
        aria-label="Conversation"
        aria-busy={talk.isAnswering.value}
        {...(isPanel ? { tabIndex: 0 } : {})}
      >
        {talk.isRead.value && messages.length === 0 && !talk.isAnswering.value && (
          <Examples app={place.app} begin={begin} />
        )}
        <Messages
          messages={messages}
          isAnswering={talk.isAnswering.value}
          decide={(card, decision) => void talk.decide(card, decision)}
          // After an answer it is read anyway.
          onCardEnd={() => void (talk.isAnswering.peek() || talk.read())}
        />
      </div>
      <p class="hint" role="status">
        {talk.isAnswering.value || isBeingAnswered(messages) ? "Answering …" : talk.note.value}
      </p>
      {[...new Set([talk.refusal.value, talk.unread.value])].map(
        (sentence) =>
          sentence !== "" && (
            <p key={sentence} class="refusal" role="alert">
              {sentence}
            </p>
          ),
      )}
      <Show of={about}>
        {({ model }) =>
          // Nothing can be added to a conversation that is not there.
          talk.isRead.value && (
            <div class="writing">
              <MessageField
                draft={draft}
                field={field}
                app={place.app}
                hasModel={model !== null}
                isFocused={isFocused}
                isAnswering={talk.isAnswering.value}
                send={() => void send()}
                stop={() => talk.stop()}
              />
              {limits !== undefined && <p class="limits">{limits}</p>}
              <p class="hint">{answererText(model)}</p>
            </div>
          )
        }
      </Show>
    </div>
  );
}

/** Stays at the end while that grows, unless somebody reads further up. */
function useFollowing(box: RefObject<HTMLElement | null>, isPanel: boolean, messages: readonly Message[]): void {
  const isAtEnd = useRef(true);
  const scrolled = () => (isPanel ? box.current : document.scrollingElement);
  useEffect(() => {
    const look = () => {
      const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = scrolled() ?? {};
      isAtEnd.current = scrollHeight - scrollTop - clientHeight < END_PX;
    };
    // Scrolling does not rise from an element to those that hold it.
    document.addEventListener("scroll", look, { capture: true, passive: true });
    return () => document.removeEventListener("scroll", look, { capture: true });
  }, []);
  const follow = () => {
    const element = scrolled();
    if (isAtEnd.current && element) element.scrollTop = element.scrollHeight;
  };
  useLayoutEffect(() => {
    // A person who has just written something wants to see the answer.
    isAtEnd.current ||= messages.at(-1)?.role === "person";
    follow();
  }, [messages]);
  useEffect(() => {
    // A keyboard that comes up on a phone takes half of the place.
    const resized = new ResizeObserver(follow);
    resized.observe(box.current!);
    return () => resized.disconnect();
  }, []);
}

/** Some two lines. */
const END_PX = 48;

/** Questions to begin with, about the app of the page or the one that was deployed last. */
function Examples({ app, begin }: { app: string | undefined; begin(text: string): void }) {
  const apps = useLoaded(async () => (app === undefined ? (await answerOf(api.GET("/api/apps"))).apps : []));
  const [last] = (apps.value ?? []).toSorted((a, b) =>
    (b.last_deployed_at ?? "").localeCompare(a.last_deployed_at ?? ""),
  );
  if (apps.value === undefined && apps.refusal === "") return null;
  return (
    <section class="examples" aria-label="Examples">
      <p>Ask about your apps, or say what to do. A change is shown first, and waits for you.</p>
      <ul>
        {examplesFor(app ?? last?.name ?? "shop").map((example) => (
          <li key={example}>
            <button type="button" onClick={() => begin(example)}>
              {example}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
