import type { ComponentChildren } from "preact";

/** Names with their values; a name whose value is null is left out. */
export function Facts({ of }: { of: Readonly<Record<string, ComponentChildren>> }) {
  return (
    <dl>
      {Object.entries(of).flatMap(([name, value]) =>
        value === null ? [] : [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{value}</dd>],
      )}
    </dl>
  );
}
