import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

interface SecretProps {
  label: string;
  text: string;
  /** It is there from the start, and not what was just asked for: the focus stays where it is. */
  isQuiet?: boolean;
}

/** A text that is shown this once, with a button that copies it. It takes the focus. */
export function Secret({ label, text, isQuiet = false }: SecretProps) {
  const place = useRef<HTMLElement>(null);
  const value = useRef<HTMLPreElement>(null);
  const outcome = useSignal("");
  useEffect(() => {
    if (!isQuiet) place.current?.focus();
  }, [text]);

  async function copy() {
    try {
      // Is there over TLS and on loopback alone.
      await navigator.clipboard.writeText(text);
      outcome.value = "Copied.";
    } catch {
      if (value.current !== null) getSelection()?.selectAllChildren(value.current);
      outcome.value = "This browser does not let a page copy here. The text is selected: copy it with Ctrl+C or ⌘C.";
    }
  }

  return (
    <section class="secret" aria-label={label} tabIndex={-1} ref={place}>
      <p>
        <strong>{label}</strong>
      </p>
      <pre ref={value} tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <button type="button" onClick={() => void copy()}>
        Copy
      </button>
      <span role="status">{outcome.value}</span>
    </section>
  );
}
