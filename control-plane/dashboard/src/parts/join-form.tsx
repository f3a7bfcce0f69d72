import { ask } from "../client/ask.ts";
import { Form, newPasswordField, textOf } from "./form.tsx";

interface JoinFormProps {
  /** The token of the mailed link. */
  token: string;
  /** The account's, for password managers. */
  email: string;
  onJoined?(): void;
}

/** Makes an account, signs its person in, and leaves for the start. */
export function JoinForm({ token, email, onJoined }: JoinFormProps) {
  async function join(values: FormData) {
    const body = { token, name: textOf(values, "name"), password: textOf(values, "password") };
    const { redirect_to } = await ask<{ redirect_to: string }>("POST", "/auth/join", { body });
    onJoined?.();
    location.assign(redirect_to);
  }
  return (
    <Form
      account={email}
      action="Join"
      submit={join}
      fields={[
        { name: "name", label: "Name", autocomplete: "name", maxLength: 100 },
        newPasswordField("password", "Password"),
      ]}
    />
  );
}
