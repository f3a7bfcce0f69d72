import { linkToken } from "../client/link-token.ts";
import { JoinForm } from "../parts/join-form.tsx";
import { MissingToken } from "../parts/missing-token.tsx";
import { openPage } from "../parts/open-page.tsx";

const token = linkToken(location.hash);

function Join() {
  if (token === "") return <MissingToken hint="Ask whoever invited you for a new invitation." />;
  return (
    <>
      <p>Choose your name and a password. The link has confirmed your e-mail address.</p>
      <JoinForm token={token} />
    </>
  );
}

openPage("Join", Join);
