import type { Card, Message, Part } from "../../client/answers.ts";
import { withoutControls } from "../../text/chat/without-controls.ts";
import { AnswerText } from "./answer-text.tsx";
import { useEffect, useId, useRef } from "preact/hooks";
import { cardOutcome, doLabel, wholeSentence } from "../../text/chat/card-text.ts";
import { curlOf } from "../../text/curl.ts";

interface MessagesProps {
  messages: readonly Message[];
  isAnswering: boolean;
  decide(card: Card, decision: "do" | "leave"): void;
  /** A card may have expired. */
  onCardEnd(): void;
}

/** A conversation, from its beginning on. */
export function Messages({ messages, isAnswering, decide, onCardEnd }: MessagesProps) {
  return (
    <ol class="messages">
      {messages.map(({ role, parts }, at) => (
        // Messages are never taken out: their place is what stays when the service gives one its id.
        <li key={at} class={role}>
          <p class="heard">{role === "person" ? "You:" : "Answer:"}</p>
          {parts.map((part, place) => (
            <PartView key={place} part={part} role={role} isBusy={isAnswering} decide={decide} onCardEnd={onCardEnd} />
          ))}
        </li>
      ))}
    </ol>
  );
}

interface PartViewProps {
  part: Part;
  role: Message["role"];
  isBusy: boolean;
  decide(card: Card, decision: "do" | "leave"): void;
  /** A card may have expired. */
  onCardEnd(): void;
}

function PartView({ part, role, isBusy, decide, onCardEnd }: PartViewProps) {
  switch (part.type) {
    case "text":
      return role === "person" ? <p class="words">{part.text}</p> : <AnswerText text={part.text} />;
    case "looked":
      return (
        <>
          <p class="hint looked">Looked at: {part.title}</p>
          {part.text !== undefined && (
            <pre tabIndex={0} aria-label={part.title}>
              {withoutControls(part.text)}
            </pre>
          )}
        </>
      );
    case "card":
      return <CardView card={part.card} isBusy={isBusy} decide={decide} onEnd={onCardEnd} />;
    case "problem":
      return <p class="refusal">{part.detail}</p>;
  }
}

interface CardViewProps {
  card: Card;
  /** Something else goes on: nothing can be decided now. */
  isBusy: boolean;
  decide(card: Card, decision: "do" | "leave"): void;
  /** The time in which it can be decided may be over. */
  onEnd(): void;
}

const COLORS: Partial<Record<Card["state"], string>> = { done: "good", failed: "broken", unknown: "broken" };

/** Something that would change: exactly what is sent, and the two ways to decide. It takes the focus from its buttons. */
function CardView({ card, isBusy, decide, onEnd }: CardViewProps) {
  const id = useId();
  const place = useRef<HTMLElement>(null);
  const { state } = card;
  useEnd(card, onEnd);
  const sentence = wholeSentence(card.sentence);
  const outcome = cardOutcome(card);
  function press(decision: "do" | "leave") {
    place.current?.focus();
    decide(card, decision);
  }
  return (
    <section class={`card ${card.destroys ? "destroys" : ""}`} aria-label={sentence} tabIndex={-1} ref={place}>
      <p>
        <strong id={id}>{sentence}</strong>
        {card.destroys && <span class="broken"> Something is gone afterwards.</span>}
      </p>
      {card.requests.map((request, at) => (
        <pre key={at} tabIndex={0} aria-label="The request, as a command">
          {curlOf(request, location.origin)}
        </pre>
      ))}
      {outcome === undefined ? (
        <div class="row">
          <button
            type="button"
            class={card.destroys ? "danger" : "main"}
            aria-describedby={id}
            disabled={isBusy}
            onClick={() => press("do")}
          >
            {doLabel(card)}
          </button>
          <button type="button" aria-describedby={id} disabled={isBusy} onClick={() => press("leave")}>
            Leave it
          </button>
        </div>
      ) : (
        <p role="status" class={COLORS[state] ?? "hint"}>
          {outcome}
        </p>
      )}
      {card.result !== undefined && <AnswerText text={card.result} />}
    </section>
  );
}

/** Hears when a card that nobody decided may be over: the service knows, whose clock may be another one. */
function useEnd({ state, expires_at }: Card, onEnd: () => void): void {
  useEffect(() => {
    if (state !== "proposed") return;
    const timer = setTimeout(onEnd, Math.max(LOOK_MS_MIN, Date.parse(expires_at) - Date.now()));
    return () => clearTimeout(timer);
  }, [state, expires_at]);
}

const LOOK_MS_MIN = 1_000;
