import { signal, useSignal } from "@preact/signals";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { chatPlaceOf } from "../../client/chat/place.ts";
import { presentPage } from "../../client/present-page.ts";
import "../shared-by-pages.ts";
import { adoptStyle } from "../style/adopt-style.ts";
import { Chat } from "./chat.tsx";
import style from "./drawer.css";
import { OPEN_KEY, type Opening } from "./open-chat.ts";
import { Talk } from "./talk.ts";

adoptStyle(style);

/** In the session's storage of a tab: the id of its conversation, which goes on from page to page. */
const CONVERSATION_KEY = "chat";

/** Below this the drawer covers the page. */
const NARROW = "(max-width: 600px)";

const question = signal<string | undefined>(undefined);

/** Opens the drawer beside the page's content; on the page of the chat itself, there is one already. */
export function openDrawer(opening: Opening): void {
  if (page !== presentPage()) removeDrawer();
  page = presentPage();
  if (opening.isAgain === true && sessionStorage.getItem(OPEN_KEY) === null) return;
  const chat = document.querySelector<HTMLElement>("main .chat");
  if (chat !== null) return opening.isAgain === true ? undefined : focusField(chat);
  // A person who followed a link in it on a phone wants to see the page.
  if (opening.isAgain === true && matchMedia(NARROW).matches) return sessionStorage.removeItem(OPEN_KEY);
  const drawer = document.querySelector<HTMLElement>("#chat") ?? makeDrawer(opening);
  if (opening.toggles === true && !drawer.hidden) return closeDrawer(drawer);
  if (drawer.hidden) {
    returnTo = document.activeElement;
    setOpen(drawer, true);
  }
  if (opening.question !== undefined) question.value = opening.question;
  if (opening.isAgain !== true) focusField(drawer);
}

/** The page that it is beside. */
let page: AbortSignal | undefined;
/** The element that gets the focus back. */
let returnTo: Element | null = null;

function makeDrawer({ isAgain = false }: Opening): HTMLElement {
  const drawer = document.createElement("aside");
  drawer.id = "chat";
  drawer.hidden = true;
  drawer.setAttribute("aria-label", "Chat");
  drawer.addEventListener("keydown", ({ key }) => key === "Escape" && closeDrawer(drawer));
  matchMedia(NARROW).addEventListener("change", () => setOpen(drawer, !drawer.hidden), { signal: presentPage() });
  document.body.append(drawer);
  render(<Drawer isFocused={!isAgain} close={() => closeDrawer(drawer)} />, drawer);
  return drawer;
}

/** Ends the drawer of the page before, which stays until this one is shown. */
function removeDrawer(): void {
  const drawer = document.querySelector<HTMLElement>("#chat");
  if (drawer === null) return;
  render(null, drawer);
  drawer.remove();
  tellOpen(false);
}

function closeDrawer(drawer: HTMLElement): void {
  setOpen(drawer, false);
  const target = returnTo instanceof HTMLElement && returnTo !== document.body ? returnTo : headerButton();
  (target?.isConnected === true ? target : headerButton())?.focus();
}

function setOpen(drawer: HTMLElement, isOpen: boolean): void {
  drawer.hidden = !isOpen;
  if (isOpen) sessionStorage.setItem(OPEN_KEY, "1");
  else sessionStorage.removeItem(OPEN_KEY);
  tellOpen(isOpen);
}

/** Tells the rest of the page. */
function tellOpen(isOpen: boolean): void {
  headerButton()?.setAttribute("aria-expanded", String(isOpen));
  // Nobody can see what lies behind it.
  for (const covered of document.querySelectorAll<HTMLElement>("body > header, body > main"))
    covered.inert = isOpen && matchMedia(NARROW).matches;
}

const headerButton = () => document.querySelector<HTMLElement>("header [aria-controls=chat]");

/** Until the field is there, the focus is in the drawer all the same. */
function focusField(place: HTMLElement): void {
  place.querySelector<HTMLElement>(".message input, .message textarea")?.focus();
}

function newTalk(id: string | undefined): Talk {
  return new Talk(id, (made) => sessionStorage.setItem(CONVERSATION_KEY, made));
}

function Drawer({ isFocused, close }: { isFocused: boolean; close(): void }) {
  const talks = useSignal(0);
  const current = useSignal(newTalk(sessionStorage.getItem(CONVERSATION_KEY) ?? undefined));
  const talk = current.value;
  const place = chatPlaceOf(location.pathname);
  function renew() {
    sessionStorage.removeItem(CONVERSATION_KEY);
    talks.value++;
    current.value = newTalk(undefined);
  }
  useEffect(() => {
    // It may be deleted, or be that of somebody who was signed in here before.
    void talk.read().then((code) => code === "not_found" && renew());
    return () => talk.close();
  }, [talk]);
  useEffect(() => {
    const asked = question.value;
    if (asked === undefined || !talk.isRead.value) return;
    question.value = undefined;
    if (!talk.isAnswering.peek()) void talk.ask(asked, place);
  }, [talk, talk.isRead.value, question.value]);

  return (
    <>
      <div class="row">
        <h2>Chat</h2>
        <a href={talk.id === undefined ? "/chat" : `/chat/${talk.id}`}>Open as a page</a>
        <button type="button" onClick={renew}>
          New<span class="heard"> conversation</span>
        </button>
        <button type="button" onClick={close}>
          Close<span class="heard"> the chat</span>
        </button>
      </div>
      <Chat key={talks.value} talk={talk} place={place} isPanel isFocused={isFocused || talks.value > 0} />
    </>
  );
}
