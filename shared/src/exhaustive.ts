/** Makes the compiler refuse a `switch` that forgets a case. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
