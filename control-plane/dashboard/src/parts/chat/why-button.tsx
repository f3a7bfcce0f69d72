import { openChat } from "./open-chat.ts";

/**
 * Asks the chat why a deploy has failed.
 * @param release that of the page's deploy; the last one of the page's app is meant without it
 */
export function WhyButton({ release }: { release?: string }) {
  return (
    <button type="button" onClick={() => openChat({ question: questionAbout(release) })}>
      Why?
    </button>
  );
}

/** A name that somebody has given may be of words that the commands don't take: "why?" alone is about the page's deploy. */
function questionAbout(release: string | undefined): string {
  if (release !== undefined && !/^v\d+$/.test(release)) return "why?";
  return `why did ${release ?? "the last deploy"} fail?`;
}
