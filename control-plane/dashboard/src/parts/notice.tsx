import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";

/** A place for what has been done. Saying it moves the focus there, since the button that did it may be gone. */
export function useNotice() {
  const text = useSignal("");
  const place = useRef<HTMLParagraphElement>(null);
  function say(sentence: string) {
    text.value = sentence;
    place.current?.focus();
  }
  /** Leaves the focus where it is. */
  const clear = () => void (text.value = "");
  const notice = (
    <p class="notice" role="status" tabIndex={-1} ref={place}>
      {text.value}
    </p>
  );
  return { say, clear, notice };
}
