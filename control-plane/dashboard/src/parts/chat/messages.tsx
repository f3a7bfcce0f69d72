import type { Card, Message, Part } from "../../client/chat/conversation.ts";
import { withoutControls } from "../../text/chat/without-controls.ts";
import { AnswerText } from "./answer-text.tsx";
import { CardView } from "./card-view.tsx";

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
