import { ConfirmLink } from "../parts/confirm-link.tsx";
import { openPage } from "../parts/open-page.tsx";

function Verify() {
  return (
    <ConfirmLink
      path="/auth/verify"
      question="Is the address that this link was mailed to yours?"
      action="Confirm the address"
      outcome="Your e-mail address is confirmed."
    />
  );
}

openPage("Confirm your e-mail address", Verify);
