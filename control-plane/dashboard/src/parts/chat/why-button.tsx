import { openChat } from "./open-chat.ts";

/** Asks the chat why the deploy of the page has failed, or on the page of an app the last one. */
export function WhyButton({ isOfDeploy = false }: { isOfDeploy?: boolean }) {
  const question = isOfDeploy ? "why?" : "why did the last deploy fail?";
  return (
    <button type="button" onClick={() => openChat({ question })}>
      Why?
    </button>
  );
}
