import { useEffect, useMemo } from "preact/hooks";
import type { Conversation } from "../client/answers.ts";
import { answerOf, api, done } from "../client/api.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { Chat } from "../parts/chat/chat.tsx";
import { Talk } from "../parts/chat/talk.ts";
import { Commands } from "../parts/commands/commands.tsx";
import { early } from "../parts/early.ts";
import { Found } from "../parts/lists/found.tsx";
import { Show, useLoaded } from "../parts/loaded.tsx";
import { openPersonalPage } from "../parts/open-page.tsx";
import { Time } from "../parts/time.tsx";

/** Its list stands beside the conversation. */
const WIDE = "(min-width: 900px)";

const loadAll = early(async () => (await answerOf(api.GET("/api/conversations"))).conversations);

function ChatPage() {
  const talk = useMemo(() => {
    const [, , id] = location.pathname.split("/");
    // The address leads back to the conversation when the page is loaded again.
    return new Talk(id, (made) => {
      // The next page has its address before it is shown.
      if (location.pathname === "/chat") history.replaceState(null, "", `/chat/${made}`);
    });
  }, []);
  useEffect(() => {
    void talk.read();
    return () => talk.close();
  }, []);
  const conversations = useLoaded(loadAll, String(talk.turns.value));
  async function remove({ id }: Conversation) {
    await done(api.DELETE("/api/conversations/{id}", { params: { path: { id } } }));
    if (id === talk.id) location.assign("/chat");
    else await conversations.reload();
  }
  return (
    <div class="chat-page">
      <section class="conversations" aria-label="Conversations">
        <a class="button" href="/chat">
          New conversation
        </a>
        <details open={matchMedia(WIDE).matches}>
          <summary>Your conversations</summary>
          <Show of={conversations}>{(all) => <Conversations all={all} current={talk.id} remove={remove} />}</Show>
        </details>
        <Commands page="chat" />
      </section>
      <Chat talk={talk} place={{}} isFocused />
    </div>
  );
}

interface ConversationsProps {
  all: readonly Conversation[];
  current: string | undefined;
  /** @throws Refusal */
  remove(conversation: Conversation): Promise<void>;
}

function Conversations({ all, current, remove }: ConversationsProps) {
  if (all.length === 0) return <p class="hint">There are none yet.</p>;
  return (
    <Found all={all} nameOf={titleOf}>
      {(found) => (
        <ul>
          {found.map((conversation) => {
            const { id, updated_at } = conversation;
            const title = titleOf(conversation);
            return (
              <li key={id}>
                <a href={`/chat/${id}`} {...(id === current ? { "aria-current": "page" } : {})}>
                  {title}
                </a>
                <ActionButton
                  label="Delete"
                  object={`the conversation ${title}`}
                  isDangerous
                  warning="Its messages are gone then."
                  act={() => remove(conversation)}
                />
                <Time at={updated_at} />
              </li>
            );
          })}
        </ul>
      )}
    </Found>
  );
}

/** The service did not take the first message of an empty one. */
function titleOf({ title }: Conversation): string {
  return title === "" ? "Empty conversation" : title;
}

void openPersonalPage("Chat", ChatPage);
