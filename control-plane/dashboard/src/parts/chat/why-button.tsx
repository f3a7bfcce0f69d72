import { openChat } from "./open-chat.ts";

/** Asks the chat why the deploy of the page, or the last one of its app, has failed. */
export function WhyButton() {
  return (
    <button type="button" onClick={() => openChat({ question: "why did the last deploy fail?" })}>
      Why?
    </button>
  );
}
