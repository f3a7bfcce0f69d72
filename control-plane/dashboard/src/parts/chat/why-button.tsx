import { openChat } from "./open-chat.ts";

interface WhyButtonProps {
  /** A sentence that the chat understands; what it leaves out is what the page is about. */
  question: string;
}

/** Asks the chat about a fault that the page shows. */
export function WhyButton({ question }: WhyButtonProps) {
  return (
    <button type="button" title={question} onClick={() => openChat({ question })}>
      Why?
    </button>
  );
}
