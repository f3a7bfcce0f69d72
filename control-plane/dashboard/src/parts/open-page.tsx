import { render, type ComponentChildren, type ComponentType } from "preact";
import type { Person } from "../client/answers.ts";
import { ask, goToSignIn, readPerson } from "../client/ask.ts";
import { AGAIN_MS, isPassing } from "../client/refusal.ts";
import { forgetInvitation } from "../client/link-token.ts";
import { appPath } from "../client/page-path.ts";
import { hearSignedIn, tellSignedIn } from "../client/signed-in.ts";
import { pathOfTab, placesOf, TABS } from "../text/places.ts";
import { ActionButton } from "./action-button.tsx";
import { letChatOpen, OPEN_KEY, openChat } from "./chat/open-chat.ts";
import { Complaint, sentenceOf } from "./form.tsx";
import { listenToKeys } from "./palette/keys.ts";
import "./shared-by-pages.ts";

/** Shows a page that is for anybody. */
export function openPage(title: string, Content: ComponentType): void {
  show(title, <Content />);
  // A second link with a token that is opened in the same tab changes nothing but the fragment.
  addEventListener("hashchange", () => location.reload());
}

/** Shows a page to whoever is signed in, and sends everybody else to the sign-in. While the service is away, it is tried again. */
export async function openPersonalPage(title: string, Content: ComponentType<{ person: Person }>): Promise<void> {
  try {
    const person = await readPerson();
    if (person === undefined) return goToSignIn();
    show(title, <Content person={person} />, person);
    leaveToAnother(person);
    workByKeys(person);
    letChatOpen((opening) => void import("./chat/drawer.tsx").then(({ openDrawer }) => openDrawer(opening)));
    if (sessionStorage.getItem(OPEN_KEY) !== null) openChat({ isAgain: true });
  } catch (error) {
    show(title, <Complaint sentence={sentenceOf(error)} />);
    if (isPassing(error)) setTimeout(() => void openPersonalPage(title, Content), AGAIN_MS);
  }
}

/**
 * Somebody else may sign in in another window: a page must not act as them below the name of the first one, nor go on
 * showing what the first one saw.
 */
function leaveToAnother({ id }: Person): void {
  tellSignedIn(id);
  hearSignedIn((now) => {
    if (now === "") leave();
    else if (now !== id) location.reload();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "visible") return;
    void readPerson().then(
      (now) => now?.id !== id && location.reload(),
      () => undefined,
    );
  });
}

/** Goes to the sign-in, which leads whoever comes next to their own apps. */
function leave(): void {
  forgetInvitation();
  location.assign("/sign-in");
}

/** Lets whoever has a keyboard go everywhere with it. */
function workByKeys(person: Person): void {
  const places = placesOf(person);
  const { name } = appPath(location.pathname);
  const app = location.pathname.startsWith("/apps/") && name !== "" ? name : undefined;
  const tabs = app === undefined ? [] : TABS.map(({ key, place }) => [key, pathOfTab(app, place)] as const);
  listenToKeys({
    places: new Map([...places.map(({ key, path }) => [key, path] as const), ...tabs]),
    openPalette: () =>
      void import("./palette/palette.tsx").then(({ openPalette }) => openPalette({ places, tabs: TABS, app })),
    openChat,
  });
}

function show(title: string, content: ComponentChildren, person?: Person): void {
  document.title = `${title} · ${location.hostname}`;
  document.querySelector(".unloaded")?.remove();
  render(
    <>
      <a class="skip" href="#content" onClick={skipToContent}>
        Skip to the content
      </a>
      <header>
        <a class="service" href="/">
          {location.hostname}
        </a>
        {person !== undefined && <Places person={person} />}
      </header>
      <main id="content" class={person === undefined ? "narrow" : ""} tabIndex={-1}>
        <h1>{title}</h1>
        {content}
      </main>
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
