import { useEffect, useRef } from "preact/hooks";
import { CopyButton } from "./copy-button.tsx";

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
  useEffect(() => {
    if (!isQuiet) place.current?.focus();
  }, [text]);

  return (
    <section class="secret" aria-label={label} tabIndex={-1} ref={place}>
      <p>
        <strong>{label}</strong>
      </p>
      <pre ref={value} tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <CopyButton key={text} text={text} shownIn={value} />
    </section>
  );
}
