import { Found } from "./found.tsx";

interface PlaceLinksProps {
  label: string;
  places: readonly { id: string; name: string }[];
  /** The id of the place that the page shows. */
  current: string | undefined;
  pathOf(id: string): string;
}

/** Leads to the same page of another team. */
export function PlaceLinks({ label, places, current, pathOf }: PlaceLinksProps) {
  return (
    <Found all={places} nameOf={({ name }) => name}>
      {(found) => (
        <nav aria-label={label}>
          {found.map(({ id, name }) => (
            <a key={id} href={pathOf(id)} {...(id === current ? { "aria-current": "page" } : {})}>
              {name}
            </a>
          ))}
        </nav>
      )}
    </Found>
  );
}
