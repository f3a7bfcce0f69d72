import { useSignal } from "@preact/signals";
import { ask } from "../client/ask.ts";
import { linkToken } from "../client/link-token.ts";
import { ActionButton } from "./action-button.tsx";
import { MissingToken } from "./missing-token.tsx";
import { useNotice } from "./notice.tsx";

interface ConfirmLinkProps {
  /** Where the token is sent. */
  path: string;
  question: string;
  action: string;
  outcome: string;
}

const token = linkToken(location.hash);

/** Uses a mailed link up when its button is pressed: programs that look at mails open links, and press nothing. */
export function ConfirmLink({ path, question, action, outcome }: ConfirmLinkProps) {
  const isDone = useSignal(false);
  const { say, notice } = useNotice();
  if (token === "") return <MissingToken hint="You can have another one sent on the page Profile." />;

  async function confirm() {
    await ask("POST", path, { body: { token } });
    isDone.value = true;
    say(outcome);
  }
  return (
    <>
      {notice}
      {isDone.value ? (
        <p>
          <a href="/">Go on to your apps</a>
        </p>
      ) : (
        <>
          <p>{question}</p>
          <ActionButton label={action} act={confirm} />
        </>
      )}
    </>
  );
}
