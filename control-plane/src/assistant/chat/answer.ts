import type { Db } from "../../platform/database/database.ts";
import type { CardView } from "./chat-schemas.ts";
import { RENEW_MS, renewAnswer, saveAnswer } from "./messages.store.ts";
import type { ProblemCode, StoredPart } from "./part.ts";

/** Sends an event of the turn to its listener, if there still is one. */
export type Emit = (event: string, data: unknown) => void;

/** The words of the last second may be lost when the process is killed. */
const SAVE_EVERY_MS = 1_000;

/** An answer while it is made: each part is told as it comes, and kept in the database. */
export class Answer {
  readonly parts: StoredPart[] = [];
  readonly #db: Db;
  readonly #id: string;
  readonly #emit: Emit;
  readonly #renewing: NodeJS.Timeout;
  #savedAt = Date.now();

  constructor(db: Db, id: string, emit: Emit) {
    this.#db = db;
    this.#id = id;
    this.#emit = emit;
    // A renewal that the database does not take is followed by the next one.
    this.#renewing = setInterval(() => void renewAnswer(db, id).catch(() => undefined), RENEW_MS).unref();
    emit("message", { id, role: "assistant" });
  }

  async text(delta: string): Promise<void> {
    const last = this.parts.at(-1);
    if (last?.type === "text") last.text += delta;
    else this.parts.push({ type: "text", text: delta });
    this.#emit("text", { delta });
    if (Date.now() - this.#savedAt > SAVE_EVERY_MS) await this.#save();
  }

  async looked(part: Extract<StoredPart, { type: "looked" }>): Promise<void> {
    const { tool, title, text } = part;
    this.#emit("looked", { tool, title, ...(text !== undefined && { text }) });
    await this.#keep(part);
  }

  /** Keeps a call that could not be made, for the model alone. */
  async misfit(part: Extract<StoredPart, { type: "misfit" }>): Promise<void> {
    await this.#keep(part);
  }

  async proposed(part: Extract<StoredPart, { type: "card" }>, view: CardView): Promise<void> {
    await this.#keep(part);
    this.#emit("card", view);
  }

  /** A card of an earlier answer has another state. */
  cardChanged(view: CardView): void {
    this.#emit("card", view);
  }

  async problem(code: ProblemCode, detail: string): Promise<void> {
    this.#emit("problem", { code, detail });
    await this.#keep({ type: "problem", code, detail });
  }

  async end(): Promise<void> {
    clearInterval(this.#renewing);
    await saveAnswer(this.#db, this.#id, { parts: this.parts, isEnded: true });
  }

  async #keep(part: StoredPart): Promise<void> {
    this.parts.push(part);
    await this.#save();
  }

  async #save(): Promise<void> {
    this.#savedAt = Date.now();
    await saveAnswer(this.#db, this.#id, { parts: this.parts, isEnded: false });
  }
}
