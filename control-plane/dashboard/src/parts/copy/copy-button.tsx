import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";

interface CopyButtonProps {
  text: string;
  /** The thing that the text is, for whoever hears the button without its surroundings. */
  object?: string;
  /** The element that shows the text: it is selected where the browser does not let a page copy. */
  shownIn: RefObject<HTMLElement | null>;
}

/** A button that copies a text, and says so. */
export function CopyButton({ text, object, shownIn }: CopyButtonProps) {
  const outcome = useSignal("");
  async function copy() {
    try {
      // Browsers have a clipboard over TLS and on loopback alone.
      await navigator.clipboard.writeText(text);
      outcome.value = "Copied.";
    } catch {
      if (shownIn.current !== null) getSelection()?.selectAllChildren(shownIn.current);
      outcome.value = "This browser does not let a page copy here. The text is selected: copy it with Ctrl+C or ⌘C.";
    }
  }
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        Copy
        {object !== undefined && <span class="heard"> {object}</span>}
      </button>
      <span role="status">{outcome.value}</span>
    </>
  );
}
