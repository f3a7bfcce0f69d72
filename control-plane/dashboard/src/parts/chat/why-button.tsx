import { openChat } from "./open-chat.ts";

/** Names of releases that the chat's commands understand without more words. */
const PLAIN_NAME = /^(?=.*[0-9])[A-Za-z0-9][\w.-]{0,62}$/;

/** Asks the chat why a deploy has failed. @param release the page's own deploy; the last one of its app when absent */
export function WhyButton({ release }: { release?: string }) {
  const question = release === undefined ? "why did the last deploy fail?" : questionAbout(release);
  return (
    <button type="button" onClick={() => openChat({ question })}>
      Why?
    </button>
  );
}

/** On the page of a deploy, "why?" alone is about that one. */
function questionAbout(release: string): string {
  return PLAIN_NAME.test(release) ? `why did ${release} fail?` : "why?";
}
