import type { Field } from "../form.tsx";

export function passkeyNameField(value: string): Field {
  return { name: "name", label: "Name of the passkey", autocomplete: "off", value, maxLength: 50 };
}
