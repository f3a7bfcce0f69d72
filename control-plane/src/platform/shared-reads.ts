import { setImmediate } from "node:timers/promises";

/**
 * Makes a read that requests of one moment share: it begins once the event loop has handed out all that has arrived, so that
 * nobody is told what was true before they asked.
 * @param read by its key
 */
export function sharedReads<Value>(read: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const asked = new Map<string, Promise<Value>>();

  async function readSoon(key: string): Promise<Value> {
    await setImmediate();
    asked.delete(key);
    return read(key);
  }

  return (key) => {
    const reading = asked.get(key) ?? readSoon(key);
    asked.set(key, reading);
    return reading;
  };
}
