import type { Person } from "../client/answers.ts";
import { textOf, type Field } from "./form.tsx";

const PASSWORD: Field = {
  name: "password",
  label: "Current password",
  type: "password",
  autocomplete: "current-password",
};
const CODE: Field = { name: "code", label: "Code", autocomplete: "one-time-code" };

/** The field in which a person shows that they are there; somebody without a password shows it by a fresh sign-in. */
export function passwordFields({ has_password }: Person): Field[] {
  return has_password ? [PASSWORD] : [];
}

/** The same with a code, for what takes the place of a second factor, or ends it. */
export function proofFields(person: Person): Field[] {
  return [...passwordFields(person), ...(person.second_factor ? [CODE] : [])];
}

/** The content of these fields, without what was not asked for. */
export function proofOf(values: FormData) {
  return {
    ...(values.has("password") ? { password: textOf(values, "password") } : {}),
    ...(values.has("code") ? { code: textOf(values, "code").trim() } : {}),
  };
}
