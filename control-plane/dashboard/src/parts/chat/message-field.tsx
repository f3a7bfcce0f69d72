import { useSignal, type Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useId } from "preact/hooks";
import { loaded } from "../../client/present-page.ts";
import { answerOf, api } from "../../client/api.ts";

/** As the API has it. */
const LENGTH_MAX = 4_000;

/** Nobody reads completions of a word that is not yet written. */
const PAUSE_MS = 80;

export type WritingElement = HTMLInputElement | HTMLTextAreaElement;

interface MessageFieldProps {
  draft: Signal<string>;
  field: RefObject<WritingElement | null>;
  /** The app that the page is about. */
  app: string | undefined;
  hasModel: boolean;
  isFocused: boolean;
  isAnswering: boolean;
  send(): void;
  stop(): void;
}

/** The place to write in: of several lines where a model reads it, else of one, with the commands that it can become. */
export function MessageField({ draft, field, app, hasModel, isFocused, isAnswering, send, stop }: MessageFieldProps) {
  const id = useId();
  useEffect(() => {
    if (isFocused) field.current?.focus();
  }, []);
  const common = {
    id,
    ref: field as RefObject<never>,
    autocomplete: "off" as const,
    maxLength: LENGTH_MAX,
    value: draft.value,
  };
  function submit() {
    if (isAnswering || draft.peek().trim() === "") return;
    field.current?.focus();
    send();
  }
  return (
    <form
      class="message"
      method="post"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <label for={id}>{hasModel ? "Message" : "Command"}</label>
      <div class="row">
        {hasModel ? (
          <textarea
            {...common}
            rows={2}
            onInput={({ currentTarget }) => (draft.value = currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
              event.preventDefault();
              submit();
            }}
          />
        ) : (
          <CommandField common={common} draft={draft} app={app} submit={submit} />
        )}
        {isAnswering ? (
          <button
            key="stop"
            type="button"
            onClick={() => {
              stop();
              field.current?.focus();
            }}
          >
            Stop<span class="heard"> the answer</span>
          </button>
        ) : (
          <button key="send" type="submit" class="main">
            Send
          </button>
        )}
      </div>
    </form>
  );
}

interface CommandFieldProps {
  common: { id: string };
  draft: Signal<string>;
  app: string | undefined;
  submit(): void;
}

/** A line with a list of what it can become (ARIA Authoring Practices, "Combobox"). */
function CommandField({ common, draft, app, submit }: CommandFieldProps) {
  const list = `${common.id}-list`;
  const isOpen = useSignal(false);
  const found = useSignal<readonly string[]>([]);
  const at = useSignal(-1);
  useEffect(() => {
    if (!isOpen.value) return;
    let isOld = false;
    const timer = setTimeout(() => {
      void completionsOf(draft.peek(), app).then((completions) => {
        if (isOld) return;
        found.value = completions;
        at.value = -1;
      });
    }, PAUSE_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [draft.value, isOpen.value, app]);

  const shown = isOpen.value ? found.value : [];
  function close() {
    isOpen.value = false;
    found.value = [];
    at.value = -1;
  }
  function take(completion: string) {
    draft.value = completion;
    close();
  }
  function onKey(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = shown[at.value];
    if (step !== undefined) {
      event.preventDefault();
      if (!isOpen.value) isOpen.value = true;
      // One place before the first is the line itself.
      else at.value = ((at.value + 1 + step + shown.length + 1) % (shown.length + 1)) - 1;
    } else if (event.key === "Escape" && shown.length > 0) {
      // The drawer that holds the field stays open.
      event.stopPropagation();
      close();
    } else if ((event.key === "Enter" || event.key === "Tab") && chosen !== undefined) {
      event.preventDefault();
      take(chosen);
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      close();
      submit();
    }
  }

  return (
    <div class="combobox">
      <input
        {...common}
        type="text"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={shown.length > 0}
        aria-controls={list}
        {...(shown[at.value] === undefined ? {} : { "aria-activedescendant": `${list}-${at.value}` })}
        spellcheck={false}
        onInput={({ currentTarget }) => {
          draft.value = currentTarget.value;
          isOpen.value = currentTarget.value.trim() !== "";
        }}
        onKeyDown={onKey}
        onBlur={close}
      />
      <ul id={list} role="listbox" aria-label="Commands that fit" hidden={shown.length === 0}>
        {shown.map((completion, place) => (
          <li
            key={completion}
            id={`${list}-${place}`}
            role="option"
            aria-selected={place === at.value}
            // The field keeps the focus, or the list would close before the click.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(completion)}
          >
            {completion}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Returns none when they can't be read: whoever writes does without. */
async function completionsOf(text: string, app: string | undefined): Promise<readonly string[]> {
  // Proxies log addresses, which a variable's value must not be in. The rule is large: it is loaded once somebody writes.
  try {
    const { hideValues } = await loaded(import("../../../../src/assistant/chat/hide-values.ts"));
    if (hideValues(text, 1).values.length > 0) return [];
    const query = { text, ...(app === undefined ? {} : { app }) };
    const { completions } = await answerOf(api.GET("/api/chat/completions", { params: { query } }));
    return completions.filter((completion) => completion !== text);
  } catch {
    return [];
  }
}
