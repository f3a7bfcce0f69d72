interface ChoiceProps<T extends string> {
  /** The question, for whoever hears the page. */
  label: string;
  options: readonly { value: T; text: string }[];
  value: T;
  onChoose(value: T): void;
}

/** One of a few ways, of which the chosen one is shown below. */
export function Choice<T extends string>({ label, options, value, onChoose }: ChoiceProps<T>) {
  return (
    <div class="row" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChoose(option.value)}
        >
          {option.text}
        </button>
      ))}
    </div>
  );
}
