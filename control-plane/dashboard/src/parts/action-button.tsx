import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Complaint, sentenceOf } from "./complaint.tsx";
import { placeInList } from "./lists/place-in-list.ts";

interface ActionButtonProps {
  /** The label: what the button does, as a verb. */
  label: string;
  /** The thing that it does that to, for whoever hears the button without its row. */
  object?: string;
  isDangerous?: boolean;
  /** The effect that can't be undone: it is said, and asked about, before. */
  warning?: string;
  /** @throws Refusal, which is shown beside the button */
  act(): Promise<void>;
}

/** A button that does something once at a time. When that removes its row, the focus goes on to what is next in the list. */
export function ActionButton({ label, object, isDangerous = false, warning, act }: ActionButtonProps) {
  const isRunning = useSignal(false);
  const isAsking = useSignal(false);
  const refusal = useSignal("");
  const complaint = useRef<HTMLParagraphElement>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const wasBusy = useRef(false);
  const isBusy = isAsking.value || isRunning.value;
  useEffect(() => complaint.current?.focus(), [refusal.value]);
  // A button that is gone, or disabled while it works, has no focus any more: its place takes it.
  useEffect(() => {
    if (isAsking.value) cancel.current?.focus();
    else if (wasBusy.current && !isBusy && document.activeElement === document.body) button.current?.focus();
    wasBusy.current = isBusy;
  }, [isAsking.value, isBusy]);

  async function run() {
    const pressed = button.current ?? cancel.current;
    const goOn = pressed === null ? undefined : placeInList(pressed, label);
    isRunning.value = true;
    refusal.value = "";
    try {
      await act();
      if (button.current === null && cancel.current === null) goOn?.();
    } catch (error) {
      refusal.value = sentenceOf(error);
    } finally {
      isRunning.value = false;
      isAsking.value = false;
    }
  }
  function press() {
    if (warning === undefined) void run();
    else isAsking.value = true;
  }

  const named = object !== undefined && <span class="heard"> {object}</span>;
  const color = isDangerous ? "danger" : "";
  return (
    <>
      {isAsking.value ? (
        <span class="row asking" role="group" aria-label={warning}>
          {warning}
          <button type="button" class={color} disabled={isRunning.value} onClick={() => void run()}>
            Yes, {label.toLowerCase()}
            {named}
          </button>
          <button type="button" ref={cancel} disabled={isRunning.value} onClick={() => (isAsking.value = false)}>
            Cancel
          </button>
        </span>
      ) : (
        <button type="button" ref={button} class={color} disabled={isRunning.value} onClick={press}>
          {label}
          {named}
        </button>
      )}
      {refusal.value !== "" && <Complaint sentence={refusal.value} complaint={complaint} />}
    </>
  );
}
