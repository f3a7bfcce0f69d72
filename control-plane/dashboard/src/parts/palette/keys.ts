/** The time after `g` in which a letter goes somewhere. */
const CHORD_MS = 1_500;

interface Keys {
  /** Letter → address. */
  places: ReadonlyMap<string, string>;
  openPalette(): void;
  openChat(): void;
  /** Ends it. */
  signal: AbortSignal;
}

/**
 * Keys that work everywhere but where somebody writes: `g` and a letter goes to a page, `/` to the search, `?` opens the
 * palette, `c` the chat. Ctrl+K and ⌘K open the palette in any case.
 */
export function listenToKeys({ places, openPalette, openChat, signal }: Keys): void {
  let goneAt = 0;
  const press = (event: KeyboardEvent) => {
    const { key, target } = event;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && key.toLowerCase() === "k") {
      event.preventDefault();
      return openPalette();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isWriting(target)) return;
    const path = Date.now() - goneAt < CHORD_MS ? places.get(key) : undefined;
    goneAt = key === "g" ? Date.now() : 0;
    if (path !== undefined) return location.assign(path);
    if (key === "?") openPalette();
    else if (key === "c") {
      // The letter would be written into the chat.
      event.preventDefault();
      openChat();
    } else if (key === "/") {
      const search = document.querySelector<HTMLElement>("main input[type=search]");
      if (search === null) return;
      event.preventDefault();
      search.focus();
    }
  };
  document.addEventListener("keydown", press, { signal });
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select, dialog, [contenteditable]") !== null;
}
