import type { ComponentChildren } from "preact";

interface TableProps<T> {
  /** The name for a screen reader. */
  label: string;
  rows: readonly T[];
  /** Tells a row from the others when the list changes. */
  keyOf(row: T): string | number;
  /** Heading → the cell below it. The first cell is the head of its row. */
  columns: Readonly<Record<string, (row: T) => ComponentChildren>>;
  /** Has a height of its own, within which it scrolls. */
  isTall?: boolean;
  /** Has so many columns that its page takes more of a wide window. */
  isBroad?: boolean;
}

/** A table that scrolls by itself where it is wider than the page. */
export function Table<T>({ label, rows, keyOf, columns, isTall = false, isBroad = false }: TableProps<T>) {
  const [[, head], ...cells] = Object.entries(columns) as [TableColumn<T>, ...TableColumn<T>[]];
  return (
    <div class={`wide${isTall ? " tall" : ""}${isBroad ? " broad" : ""}`} tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {Object.keys(columns).map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row">{head(row)}</th>
              {cells.map(([name, cell]) => (
                <td key={name}>{cell(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type TableColumn<T> = [name: string, cell: (row: T) => ComponentChildren];
