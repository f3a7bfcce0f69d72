/** How a command tells its result: for people, or with --json as exactly one document. */
export type Print = (value: unknown, human: string) => void;

export function createPrint(wantsJson: () => boolean, write: (text: string) => void): Print {
  return (value, human) => write(`${wantsJson() ? JSON.stringify(value) : human}\n`);
}
