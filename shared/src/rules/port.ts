/** Where an app may listen. */
export const PORT = { min: 1, max: 65_535 } as const;

export function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= PORT.min && port <= PORT.max;
}
