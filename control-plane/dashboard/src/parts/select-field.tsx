import { useId } from "preact/hooks";

interface SelectFieldProps {
  name: string;
  label: string;
  options: readonly { value: string; text: string }[];
  value?: string | undefined;
  hint?: string;
  onChoose?(value: string): void;
}

export function SelectField({ name, label, options, value, hint, onChoose }: SelectFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <select
        id={id}
        name={name}
        onChange={(event) => onChoose?.(event.currentTarget.value)}
        {...(hint === undefined ? {} : { "aria-describedby": `${id}-hint` })}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.text}
          </option>
        ))}
      </select>
    </div>
  );
}
