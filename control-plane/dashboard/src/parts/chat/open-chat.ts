/** In the session's storage of a tab while the drawer is open there. */
export const OPEN_KEY = "chat-open";

export interface Opening {
  /** Is asked at once. */
  question?: string;
  /** Closes it where it is open. */
  toggles?: boolean;
  /** It was open on the page before: the focus stays where it is. */
  isAgain?: boolean;
}

let open: (opening: Opening) => void = () => undefined;

/** @param how opens the chat beside a page: what frames the page loads it for that */
export function letChatOpen(how: (opening: Opening) => void): void {
  open = how;
}

/** Opens the chat beside the page. */
export function openChat(opening: Opening = {}): void {
  open(opening);
}
