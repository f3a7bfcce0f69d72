import { signal } from "@preact/signals";
import { answerOf, api } from "../../client/api.ts";
import type { Card, Message } from "../../client/answers.ts";
import type { ChatPlace } from "../../client/chat/place.ts";
import { loaded } from "../../client/present-page.ts";
import { AGAIN_MS, isPassing, Refusal } from "../../client/refusal.ts";
import { isBeingAnswered, isDoing, withEvent, writtenMessage } from "../../text/chat/told.ts";
import { sentenceOf } from "../complaint.tsx";

const AS_KEPT = "Below is what the service has kept of it.";
const STOPPED = "You stopped the answer. Its words until then are kept.";

/** A conversation, as a page shows it and goes on with it: one answer at a time. */
export class Talk {
  /** undefined until the first message is sent. */
  id: string | undefined;
  readonly messages = signal<readonly Message[]>([]);
  /** Whether the messages that there are have been read. */
  readonly isRead = signal(false);
  readonly isAnswering = signal(false);
  /** Why something was not done, or broke off. */
  readonly refusal = signal("");
  /** Why the messages can't be read now. */
  readonly unread = signal("");
  /** The person's own doing, said once it is done. */
  readonly note = signal("");
  /** Counts the answers that have ended here. */
  readonly turns = signal(0);
  readonly #onMade: (id: string) => void;
  /** The part that sends a message is loaded while the conversation is read, and not before the page is shown. */
  readonly #sending = loaded(import("./follow-turn.ts"));
  #stop = new AbortController();
  #again: ReturnType<typeof setTimeout> | undefined;
  /** Something was refused because of an answer that another page had asked for. */
  #isWaiting = false;
  #isClosed = false;

  /** @param onMade hears the conversation's id when it is made, with the first message */
  constructor(id: string | undefined, onMade: (id: string) => void) {
    this.id = id;
    this.#onMade = onMade;
  }

  /**
   * Reads what the service has kept; again while the service is away, and while something is done that nobody here waits for.
   * @returns the code of why it was not read
   */
  async read(): Promise<string | undefined> {
    clearTimeout(this.#again);
    const { id } = this;
    try {
      if (id !== undefined) {
        const { messages } = await answerOf(api.GET("/api/conversations/{id}", { params: { path: { id } } }));
        this.messages.value = messages;
      }
      this.isRead.value = true;
      this.unread.value = "";
      if (isDoing(this.messages.peek())) this.#readLater();
      return undefined;
    } catch (error) {
      this.unread.value = sentenceOf(error);
      if (isPassing(error)) this.#readLater();
      return codeOf(error);
    }
  }

  /** @returns whether the service has the message: otherwise it is the person's to send again */
  async ask(text: string, place: ChatPlace): Promise<boolean> {
    const before = this.messages.peek();
    const code = await this.#turn(async () => {
      this.id ??= await this.#make();
      this.messages.value = [...before, writtenMessage(text)];
      await this.#follow(`/api/conversations/${this.id}/messages`, { text, ...place });
    });
    if (code === undefined || code === "lost") return true;
    // Another page may have gone on with the conversation: more messages tell something only where no answer came.
    return code === "unreachable" && this.messages.peek().length > before.length;
  }

  async decide({ id: card, signature }: Card, decision: "do" | "leave"): Promise<void> {
    await this.#turn(() => this.#follow(`/api/conversations/${this.id}/cards/${card}`, { decision, signature }));
  }

  /** Ends the answer. */
  stop(): void {
    this.#stop.abort();
    this.note.value = STOPPED;
  }

  /** Ends all that goes on here, when nobody looks at it any more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#again);
    this.#stop.abort();
  }

  /** @returns the code of why it was not done, or broke off; undefined when all went well */
  async #turn(run: () => Promise<void>): Promise<string | undefined> {
    const before = this.messages.peek();
    this.#stop = new AbortController();
    this.isAnswering.value = true;
    this.refusal.value = "";
    this.note.value = "";
    this.#isWaiting = false;
    try {
      await run();
      // The service shows a secret value in what was written as a mark.
      if (this.#stop.signal.aborted) this.#readLater();
      else await this.read();
      return undefined;
    } catch (error) {
      const code = codeOf(error);
      if (code !== "lost") this.messages.value = before;
      this.refusal.value = sentenceOf(error);
      this.#isWaiting = code === "turn_in_progress";
      if ((await this.read()) === undefined && code === "lost") this.refusal.value += ` ${AS_KEPT}`;
      return code;
    } finally {
      this.isAnswering.value = false;
      this.turns.value++;
    }
  }

  async #follow(path: string, body: object): Promise<void> {
    const onEvent = (event: Parameters<typeof withEvent>[1]) => {
      this.messages.value = withEvent(this.messages.peek(), event);
    };
    const { followTurn } = await this.#sending;
    await followTurn({ path, body, onEvent, stop: this.#stop.signal });
  }

  async #make(): Promise<string> {
    const { conversation } = await answerOf(api.POST("/api/conversations"));
    if (!this.#isClosed) this.#onMade(conversation.id);
    return conversation.id;
  }

  #readLater(): void {
    clearTimeout(this.#again);
    if (this.#isClosed) return;
    // After an answer it is read anyway.
    this.#again = setTimeout(() => void (this.isAnswering.peek() || this.#readAgain()), AGAIN_MS);
  }

  async #readAgain(): Promise<void> {
    const problem = await this.read();
    if (!this.#isWaiting || problem !== undefined || isBeingAnswered(this.messages.peek())) return;
    this.#isWaiting = false;
    this.refusal.value = "";
  }
}

function codeOf(error: unknown): string {
  return error instanceof Refusal ? error.code : "";
}
