import { ask } from "../client/ask.ts";
import { Form, textOf } from "../parts/form.tsx";
import { useNotice } from "../parts/notice.tsx";
import { openPage } from "../parts/open-page.tsx";

function SignUp() {
  const { say, notice } = useNotice();
  async function send(values: FormData) {
    const email = textOf(values, "email");
    await ask("POST", "/auth/sign-up", { body: { email } });
    say(`A mail is on its way to ${email}. Open its link to go on.`);
  }
  return (
    <>
      <p>A mail with a link confirms your address. Its page asks for your name and a password.</p>
      {notice}
      <Form
        action="Send the mail"
        submit={send}
        fields={[{ name: "email", label: "E-mail address", type: "email", autocomplete: "username" }]}
      />
      <p>
        <a href="/sign-in">Sign in instead</a>
      </p>
    </>
  );
}

openPage("Make an account", SignUp);
