import { Refusal } from "../client/refusal.ts";

/** A sentence that takes the focus, so that whoever can't see the page hears it too. */
export function Complaint({
  sentence,
  complaint,
}: {
  sentence: string;
  complaint?: { current: HTMLParagraphElement | null };
}) {
  return (
    <p class="refusal" role="alert" tabIndex={-1} {...(complaint === undefined ? {} : { ref: complaint })}>
      {sentence}
    </p>
  );
}

/** The sentence that tells a person of an error: the service's own, or that the page has a fault. */
export function sentenceOf(error: unknown): string {
  return error instanceof Refusal ? error.message : `This page has a fault: ${String(error)}. Load it again.`;
}
