let present = new AbortController();

/** Is aborted when the page is left for another one within the document: what belongs to the page ends then. */
export function presentPage(): AbortSignal {
  return present.signal;
}

/** Ends what belongs to the present page: another one is on its way. */
export function leavePage(): void {
  present.abort();
  present = new AbortController();
}
