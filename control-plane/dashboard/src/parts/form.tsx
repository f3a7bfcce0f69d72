import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { fieldOf, Refusal } from "../client/refusal.ts";
import { Complaint, sentenceOf } from "./complaint.tsx";

export interface Field {
  name: string;
  label: string;
  /** HTML's type of the input; text when absent. */
  type?: "text" | "email" | "password" | "multiline";
  /** HTML's name of what a browser or a password manager may fill in; nothing when absent. */
  autocomplete?: string;
  hint?: string;
  value?: string;
  maxLength?: number;
  /** May stay empty. */
  isOptional?: boolean;
  /** The one text that may be entered. */
  only?: string;
}

interface FormProps {
  fields: readonly Field[];
  /** The label: what the button does, as a verb. */
  action: string;
  isDangerous?: boolean;
  /** Controls other than text, below the fields. */
  children?: ComponentChildren;
  /** The address of whose password the form holds, for password managers; it is not sent. */
  account?: string;
  /** The first field has the focus from the start. */
  isFocused?: boolean;
  /** Resolves when it is done: the form is empty again then. @throws Refusal, which is shown beside what it is about */
  submit(values: FormData): Promise<void>;
}

/** A form that sends itself once at a time, and shows why it was refused. */
export function Form({ fields, action, isDangerous = false, children, account, isFocused = false, submit }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const complaint = useRef<HTMLParagraphElement>(null);
  const isRunning = useSignal(false);
  const refusal = useSignal<{ sentence: string; field: string | undefined } | undefined>(undefined);
  const id = useId();

  useEffect(() => {
    if (isFocused) form.current?.querySelector<HTMLElement>("input:not([hidden]), textarea")?.focus();
  }, [isFocused]);
  useEffect(() => {
    if (refusal.value === undefined) return;
    const { field } = refusal.value;
    const wrong = field === undefined ? undefined : form.current?.elements.namedItem(field);
    (wrong instanceof HTMLElement ? wrong : complaint.current)?.focus();
  }, [refusal.value]);

  async function send(event: SubmitEvent) {
    event.preventDefault();
    if (isRunning.value || form.current === null) return;
    isRunning.value = true;
    refusal.value = undefined;
    try {
      await submit(new FormData(form.current));
      form.current?.reset();
    } catch (error) {
      refusal.value = {
        sentence: sentenceOf(error),
        field:
          error instanceof Refusal
            ? fieldOf(
                error,
                fields.map(({ name }) => name),
              )
            : undefined,
      };
    } finally {
      isRunning.value = false;
    }
  }

  const sentence = refusal.value?.sentence;
  const about = refusal.value?.field;
  return (
    <form ref={form} method="post" onSubmit={(event) => void send(event)}>
      {account !== undefined && <input hidden readOnly autocomplete="username" value={account} />}
      {fields.map((field) => (
        <TextField
          key={field.name}
          field={field}
          id={`${id}-${field.name}`}
          refusal={field.name === about ? sentence : undefined}
        />
      ))}
      {children}
      {sentence !== undefined && about === undefined && <Complaint sentence={sentence} complaint={complaint} />}
      <button type="submit" class={isDangerous ? "danger" : "main"} disabled={isRunning.value}>
        {action}
      </button>
    </form>
  );
}

function TextField({ field, id, refusal }: { field: Field; id: string; refusal: string | undefined }) {
  const { name, label, type = "text", autocomplete = "off", hint, value, maxLength, isOptional = false, only } = field;
  const notes = [...(hint === undefined ? [] : [`${id}-hint`]), ...(refusal === undefined ? [] : [`${id}-refusal`])];
  const common = {
    id,
    name,
    autocomplete: autocomplete as "on",
    defaultValue: value ?? "",
    required: !isOptional,
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(notes.length > 0 ? { "aria-describedby": notes.join(" ") } : {}),
    ...(refusal === undefined ? {} : { "aria-invalid": true as const }),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {type === "multiline" ? (
        <textarea {...common} rows={8} spellcheck={false} />
      ) : (
        // Preact's types take one type at a time.
        <input {...common} type={type as "text"} {...(only === undefined ? {} : { pattern: literally(only) })} />
      )}
      {refusal !== undefined && (
        <p class="refusal" id={`${id}-refusal`}>
          {refusal}
        </p>
      )}
    </div>
  );
}

/** The text of a field of the form. */
export function textOf(values: FormData, name: string): string {
  const value = values.get(name);
  return typeof value === "string" ? value : "";
}

/** The field for a password that is chosen. */
export function newPasswordField(name: string, label: string): Field {
  const hint = "At least 12 characters: several words that do not belong together.";
  return { name, label, type: "password", autocomplete: "new-password", hint };
}

/** A pattern that this text alone matches. Browsers ignore one that escapes what needs no escape (HTML, "The pattern attribute"). */
function literally(text: string): string {
  return text.replaceAll(/[\^$\\.*+?()[\]{}|/]/g, String.raw`\$&`);
}
