/**
 * Remembers where a button stands in its list, for when its row is gone.
 * @param label the button's own text
 * @returns gives the focus to what is left in the row, or to the same button of the next row or of the row before, else to
 * the list's heading; undefined when the button is in no list
 */
export function placeInList(button: Element, label: string): (() => void) | undefined {
  const row = button.closest("tr, li");
  const list = row?.parentElement;
  if (row === null || !list) return undefined;
  const rows = [...list.children];
  const at = rows.indexOf(row);
  const others = [...rows.slice(at + 1), ...rows.slice(0, at).reverse()];
  const heading = headingOf(list);
  return () => {
    if (heading !== undefined) heading.tabIndex = -1;
    const left = row.isConnected ? row.querySelector<HTMLElement>("select, button") : null;
    const [next] = others.filter((other) => other.isConnected).flatMap((other) => buttonsOf(other, label));
    (left ?? next ?? heading)?.focus();
  };
}

function buttonsOf(row: Element, label: string): HTMLElement[] {
  return [...row.querySelectorAll("button")].filter(({ firstChild }) => firstChild?.textContent === label);
}

/** The last heading before the list in a part of the page that holds both. */
function headingOf(list: Element): HTMLElement | undefined {
  return [...document.querySelectorAll<HTMLElement>("h1, h2, h3")].findLast(
    (heading) =>
      heading.parentElement?.contains(list) &&
      !list.contains(heading) &&
      heading.compareDocumentPosition(list) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
}
