import type { PasskeyNeeds } from "../../client/answers.ts";
import { textOf, type Field } from "../form.tsx";

const PASSWORD: Field = {
  name: "password",
  label: "Current password",
  type: "password",
  autocomplete: "current-password",
};
const CODE: Field = { name: "code", label: "Code", autocomplete: "one-time-code" };

/** The fields in which a person shows that they are there. */
export function proofFields(needs: PasskeyNeeds): Field[] {
  return [...(needs.password ? [PASSWORD] : []), ...(needs.code ? [CODE] : [])];
}

/** What these fields hold. It leaves out what was not asked for. */
export function proofOf(values: FormData) {
  return {
    ...(values.has("password") ? { password: textOf(values, "password") } : {}),
    ...(values.has("code") ? { code: textOf(values, "code").trim() } : {}),
  };
}

export function passkeyNameField(value: string): Field {
  return { name: "name", label: "Name of the passkey", autocomplete: "off", value, maxLength: 50 };
}
