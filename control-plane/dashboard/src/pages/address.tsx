import { ConfirmLink } from "../parts/confirm-link.tsx";
import { openPage } from "../parts/open-page.tsx";

function Address() {
  return (
    <ConfirmLink
      path="/auth/address/confirm"
      question="Your account gets the address that this link was mailed to, in the place of the one that it has."
      action="Use the new address"
      outcome="Your account has the new e-mail address now. Sign in with it from now on."
    />
  );
}

openPage("Change your e-mail address", Address);
