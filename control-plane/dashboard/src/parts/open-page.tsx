import { render, type ComponentChildren, type ComponentType } from "preact";
import type { Person } from "../client/answers.ts";
import { ask, goToSignIn, readPerson } from "../client/ask.ts";
import { documentOwner, isOthersDocument, knownOwner, setOwner } from "../client/owner.ts";
import { AGAIN_MS, isPassing } from "../client/refusal.ts";
import { forgetInvitation } from "../client/link-token.ts";
import { appPath } from "../client/page-path.ts";
import { loaded, presentPage, tellOpening } from "../client/present-page.ts";
import { hearSignedIn, tellSignedIn } from "../client/signed-in.ts";
import { pathOfTab, placesOf, TABS } from "../text/places.ts";
import { ActionButton } from "./action-button.tsx";
import { letChatOpen, OPEN_KEY, openChat } from "./chat/open-chat.ts";
import { Complaint, sentenceOf } from "./complaint.tsx";
import { changeInPlace } from "./in-place/in-place.ts";
import { listenToKeys } from "./palette/keys.ts";
import "./shared-by-pages.ts";
// Most pages of a person show them: they come in the same file as this one.
import "./commands/commands.tsx";

/** Shows a page that is for anybody. */
export function openPage(title: string, Content: ComponentType): void {
  show(title, <Content />);
  // A second link with a token that is opened in the same tab changes nothing but the fragment; Back may lead to a page that this
  // document has shown before it was loaded again as this one.
  for (const change of ["hashchange", "popstate"]) addEventListener(change, () => location.reload());
}

type PersonalContent = ComponentType<{ person: Person }>;

/** Becomes true with the document's first page. */
let changesInPlace = false;

/** Shows a page to whoever is signed in, and sends everybody else to the sign-in. While the service is away, it is tried again. */
export function openPersonalPage(title: string, Content: PersonalContent): Promise<void> {
  if (!changesInPlace) changeInPlace((error) => showRefusal("Not loaded", error));
  changesInPlace = true;
  const page = open(title, Content);
  tellOpening(page);
  return page;
}

async function open(title: string, Content: PersonalContent): Promise<void> {
  const page = presentPage();
  try {
    const person = knownOwner() ?? (await readPerson());
    if (page.aborted) return;
    if (person === undefined) return goToSignIn();
    // The document may hold more of the other person than it shows.
    if (isOthersDocument(person)) return location.reload();
    if (documentOwner() === undefined) leaveToAnother(person);
    if (knownOwner() !== undefined) renewLater(title, Content, page, RENEWED_MS);
    present(title, Content, person);
    workByKeys(person, page);
    letChatOpen(
      (opening) => void loaded(import("./chat/drawer.tsx")).then(({ openDrawer }) => openDrawer(opening), doWithout),
    );
    const hasDrawer = document.getElementById("chat") !== null || sessionStorage.getItem(OPEN_KEY) !== null;
    if (hasDrawer) openChat({ isAgain: true });
  } catch (error) {
    showRefusal(title, error);
    if (isPassing(error)) setTimeout(() => page.aborted || void open(title, Content), AGAIN_MS);
  }
}

/**
 * A page is shown to the person that its document knows: each of its requests names them. They are read again once it has had the time
 * to show what it is about.
 */
const RENEWED_MS = 1_000;

/** Reads the page's person again, and makes the page anew when something about them has changed. */
function renewLater(title: string, Content: PersonalContent, page: AbortSignal, afterMs: number): void {
  setTimeout(() => {
    if (page.aborted) return;
    void readPerson().then(
      (person) => {
        // A change that was sent meanwhile is shown by the page already.
        if (page.aborted || knownOwner() === undefined) return;
        if (person === undefined) return goToSignIn();
        if (JSON.stringify(person) === JSON.stringify(documentOwner())) return;
        // A page that is in use stays as it is: the next one shows the change.
        if (document.querySelector("main :focus") === null) present(title, Content, person);
        else setOwner(person);
      },
      (error: unknown) => isPassing(error) && renewLater(title, Content, page, AGAIN_MS),
    );
  }, afterMs);
}

function present(title: string, Content: PersonalContent, person: Person): void {
  setOwner(person);
  show(title, <Content key={JSON.stringify(person)} person={person} />, person);
}

const showRefusal = (title: string, error: unknown): void =>
  show(title, <Complaint sentence={sentenceOf(error)} />, documentOwner());

/** The page's content says that the service is away. */
function doWithout(): void {}

/**
 * Somebody else may sign in in another window: no page of the document may act as them below the name of the first one, nor go on
 * showing what the first one saw.
 */
function leaveToAnother({ id }: Person): void {
  tellSignedIn(id);
  hearSignedIn((now) => {
    if (now === "") leave();
    else if (now !== id) location.reload();
  });
  const look = () => {
    if (document.visibilityState !== "visible") return;
    void readPerson().then(
      (now) => (now?.id === id ? setOwner(now) : location.reload()),
      () => undefined,
    );
  };
  document.addEventListener("visibilitychange", look);
}

/** Goes to the sign-in, which leads whoever comes next to their own apps. */
function leave(): void {
  forgetInvitation();
  location.assign("/sign-in");
}

/** Lets whoever has a keyboard go everywhere with it. */
function workByKeys(person: Person, signal: AbortSignal): void {
  const places = placesOf(person);
  const { name } = appPath(location.pathname);
  const app = location.pathname.startsWith("/apps/") && name !== "" ? name : undefined;
  const tabs = app === undefined ? [] : TABS.map(({ key, place }) => [key, pathOfTab(app, place)] as const);
  listenToKeys({
    places: new Map([...places.map(({ key, path }) => [key, path] as const), ...tabs]),
    openPalette: () =>
      void loaded(import("./palette/palette.tsx")).then(
        ({ openPalette }) => openPalette({ places, tabs: TABS, app }),
        doWithout,
      ),
    openChat,
    signal,
  });
}

/** Is heard when the page changes within its document; a screen reader says the title of a document by itself. */
let heard: string | undefined;
/** Counts what this document has shown: a button that still waits for its answer is another one on the next page. */
let shown = 0;

function show(title: string, content: ComponentChildren, person?: Person): void {
  document.title = `${title} · ${location.hostname}`;
  document.querySelector(".unloaded")?.remove();
  heard = heard === undefined ? "" : title;
  shown++;
  render(
    <>
      <a class="skip" href="#content" onClick={skipToContent}>
        Skip to the content
      </a>
      <header>
        <a class="service" href="/">
          {location.hostname}
        </a>
        {person !== undefined && <Places key={shown} person={person} />}
      </header>
      <main id="content" class={person === undefined ? "narrow" : ""} tabIndex={-1}>
        <h1>{title}</h1>
        {content}
      </main>
      <p class="heard" aria-live="polite">
        {heard}
      </p>
    </>,
    document.body,
  );
}

/** The fragment stays as it is: it may hold the token of a link. */
function skipToContent(event: Event): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}

function Places({ person }: { person: Person }) {
  return (
    <>
      <nav aria-label="Pages">
        {placesOf(person).map(({ path, text }) => (
          <a key={path} href={path} {...(path === location.pathname ? { "aria-current": "page" } : {})}>
            {text}
          </a>
        ))}
      </nav>
      <div class="person">
        <button type="button" aria-expanded={false} aria-controls="chat" onClick={() => openChat({ toggles: true })}>
          Ask
        </button>
        <span>{person.email}</span>
        <ActionButton
          label="Sign out"
          act={async () => {
            await ask("POST", "/auth/sign-out");
            tellSignedIn("");
            leave();
          }}
        />
      </div>
    </>
  );
}
