const KEY = "signed-in";

/** Tells the browser's other pages who is signed in. @param id of the person; empty when nobody is */
export function tellSignedIn(id: string): void {
  localStorage.setItem(KEY, id);
  // The others hear of each change: nothing has to stay.
  localStorage.removeItem(KEY);
}

/** Hears from the browser's other pages who is signed in (HTML Standard, "The storage event"). */
export function hearSignedIn(onHeard: (id: string) => void): void {
  addEventListener("storage", ({ key, newValue }) => {
    if (key === KEY && newValue !== null) onHeard(newValue);
  });
}
