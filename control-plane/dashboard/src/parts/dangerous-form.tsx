import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Form, type Field } from "./form.tsx";

interface DangerousFormProps {
  /** The label of the button that opens the form, without the dots. */
  title: string;
  /** The consequences, which are read before the form is filled in. */
  children: ComponentChildren;
  action: string;
  fields: readonly Field[];
  account?: string;
  /** @throws Refusal */
  submit(values: FormData): Promise<void>;
}

/** A form for what can't be undone: it opens when it is asked for. */
export function DangerousForm({ title, children, ...form }: DangerousFormProps) {
  const isOpen = useSignal(false);
  if (isOpen.value) {
    return (
      <>
        {children}
        <Form {...form} isFocused isDangerous />
      </>
    );
  }
  return (
    <button type="button" class="danger" onClick={() => (isOpen.value = true)}>
      {title} …
    </button>
  );
}
