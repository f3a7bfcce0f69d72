import { useSignal } from "@preact/signals";
import { render } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { answerOf, api } from "../../client/api.ts";
import { presentPage } from "../../client/present-page.ts";
import { CHOICES_MAX, choicesOf, findChoices, type Choosable, type Owned } from "../../text/choices.ts";
import type { Place, TabPlace } from "../../text/places.ts";
import { adoptStyle } from "../style/adopt-style.ts";
import { useLoaded } from "../loaded.tsx";
import "../shared-by-pages.ts";
import style from "./palette.css";

adoptStyle(style);

interface PaletteProps {
  places: readonly Place[];
  tabs: readonly TabPlace[];
  /** The app that the page is about. */
  app: string | undefined;
}

/** Opens the palette above the page; it goes with its choice or with Escape. */
export function openPalette(props: PaletteProps): void {
  if (document.querySelector("dialog.palette") !== null) return;
  const dialog = document.createElement("dialog");
  dialog.className = "palette";
  dialog.setAttribute("aria-label", "Go to a page");
  dialog.addEventListener("close", () => {
    render(null, dialog);
    dialog.remove();
  });
  presentPage().addEventListener("abort", () => dialog.close());
  // A click beside it is one on the dialog itself: what it shows fills it.
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  document.body.append(dialog);
  render(<Palette {...props} />, dialog);
  dialog.showModal();
}

function Palette({ places, tabs, app }: PaletteProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const written = useSignal("");
  const at = useSignal(0);
  const apps = useLoaded(readApps);
  const teams = useLoaded(readTeams);
  const owned = { apps: ownFirst(apps.value ?? [], app), teams: teams.value ?? [] };
  const found = findChoices(choicesOf(places, tabs, owned), written.value);
  const chosen = Math.min(at.value, found.length - 1);
  useEffect(() => field.current?.focus(), []);

  const choose = (choice: Choosable | undefined) => choice && location.assign(choice.path);

  function onKey(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      at.value = (chosen + step + found.length) % Math.max(found.length, 1);
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(found[chosen]);
    }
  }

  return (
    <div class="palette-content">
      <input
        ref={field}
        role="combobox"
        aria-label="Part of a name"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        {...(found.length > 0 ? { "aria-activedescendant": `${id}-${chosen}` } : {})}
        autocomplete="off"
        spellcheck={false}
        value={written.value}
        onInput={({ currentTarget }) => {
          written.value = currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={onKey}
      />
      <ul id={`${id}-list`} role="listbox" aria-label="What fits">
        {found.map((choice, index) => (
          <li
            key={`${choice.path} ${choice.text}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => choose(choice)}
          >
            {choice.text}
          </li>
        ))}
      </ul>
      {found.length === CHOICES_MAX && <p class="hint">At most {CHOICES_MAX} are shown. Write more of a name.</p>}
      {apps.value === undefined && apps.refusal === "" ? (
        <p class="hint loading">Loading the names of your apps …</p>
      ) : (
        found.length === 0 && <p role="status">Nothing has these words in its name.</p>
      )}
      {[...new Set([apps.refusal, teams.refusal])].filter(Boolean).map((refusal) => (
        <p key={refusal} class="refusal">
          {refusal}
        </p>
      ))}
      <p class="hint">{hintOf(places, app === undefined ? [] : tabs)}</p>
    </div>
  );
}

const readApps = async (): Promise<Owned["apps"]> => (await answerOf(api.GET("/api/apps"))).apps;
const readTeams = async (): Promise<Owned["teams"]> => (await answerOf(api.GET("/api/teams"))).teams;

/** The app of the page comes first: it is meant more often than the others. */
function ownFirst<T extends { name: string }>(apps: readonly T[], own: string | undefined): T[] {
  return [...apps.filter(({ name }) => name === own), ...apps.filter(({ name }) => name !== own)];
}

function hintOf(places: readonly Place[], tabs: readonly TabPlace[]): string {
  const letters = [...places, ...tabs].map(({ key, text }) => `${key} ${text}`).join(", ");
  return `Enter goes there. Without this window: g and then a letter (${letters}), / for the search of a page, c for the chat.`;
}
