import { isPersonalPath } from "../../text/places.ts";

/** `enter-page.ts` is for links alone: no page waits for it. */
const loadEntering = () => import("./enter-page.ts");

/**
 * Lets links between the pages of a person change the page within its document (HTML Standard, "The navigation API"): to begin
 * a document takes longer than all the rest of a page. A browser without that interface loads a document for each page.
 * @param onAway hears why the next page can't be read now; it is tried again
 */
export function changeInPlace(onAway: (error: unknown) => void): void {
  if (!("navigation" in globalThis)) return;
  const reload = () => location.reload();
  navigation.addEventListener("navigate", (event) => {
    if (!isWithin(event)) return;
    const isReturn = event.navigationType === "traverse";
    event.intercept({ handler: () => loadEntering().then(({ enterPage }) => enterPage({ isReturn, onAway }), reload) });
  });
}

function isWithin(event: NavigateEvent): boolean {
  const { canIntercept, hashChange, downloadRequest, navigationType, destination } = event;
  if (!canIntercept || hashChange || downloadRequest !== null) return false;
  // The browser itself does nothing but change the address for a page that this document has shown.
  if (navigationType === "traverse") return destination.sameDocument;
  return navigationType !== "reload" && !destination.sameDocument && isPersonalPath(new URL(destination.url).pathname);
}
