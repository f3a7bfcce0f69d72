import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Complaint, sentenceOf } from "./form.tsx";

interface ActionButtonProps {
  /** What it does, as a verb. */
  label: string;
  /** What it does that to, for whoever hears the button without its row. */
  object?: string;
  isDangerous?: boolean;
  /** @throws Refusal, which is shown beside the button */
  act(): Promise<void>;
}

/** A button that does something once at a time. */
export function ActionButton({ label, object, isDangerous = false, act }: ActionButtonProps) {
  const isRunning = useSignal(false);
  const refusal = useSignal("");
  const complaint = useRef<HTMLParagraphElement>(null);
  useEffect(() => complaint.current?.focus(), [refusal.value]);

  async function run() {
    isRunning.value = true;
    refusal.value = "";
    try {
      await act();
    } catch (error) {
      refusal.value = sentenceOf(error);
    } finally {
      isRunning.value = false;
    }
  }

  return (
    <>
      <button type="button" class={isDangerous ? "danger" : ""} disabled={isRunning.value} onClick={() => void run()}>
        {label}
        {object !== undefined && <span class="heard"> {object}</span>}
      </button>
      {refusal.value !== "" && <Complaint sentence={refusal.value} complaint={complaint} />}
    </>
  );
}
