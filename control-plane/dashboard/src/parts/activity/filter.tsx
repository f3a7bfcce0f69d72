interface FilterProps {
  label: string;
  options: readonly { value: string; text: string }[];
  onChoose(value: string): void;
}

/** Narrows a list down as soon as something is chosen. */
export function Filter({ label, options, onChoose }: FilterProps) {
  return (
    <label>
      {label}{" "}
      <select onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
