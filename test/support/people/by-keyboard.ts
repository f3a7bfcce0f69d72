import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { expectFocus, hasFocus } from "./on-page.ts";

/** More than any page has. */
const STOPS_MAX = 120;

/** The ways of somebody without a mouse on a page. */
export function byKeyboard(page: Page) {
  const button = (name: string | RegExp) => page.getByRole("button", { name });
  const field = (name: string) => page.getByLabel(name, { exact: true });

  /** Goes there with Tab alone, and requires that whoever looks sees where they are at each stop. */
  async function tabTo(target: Locator): Promise<void> {
    await target.waitFor();
    for (let stop = 0; stop < STOPS_MAX; stop++) {
      await page.keyboard.press("Tab");
      expect(await page.evaluate(UNSEEN_FOCUS), "the focus is seen").toBeNull();
      if (await hasFocus(target)) return;
    }
    throw new Error(`Tab does not lead to ${String(target)}`);
  }

  async function press(name: string | RegExp): Promise<void> {
    await tabTo(button(name));
    await page.keyboard.press("Enter");
  }

  /** Answers a question, which has the focus on what does no harm. */
  async function sayYes(): Promise<void> {
    await expectFocus(button("Cancel"));
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
  }

  async function write(name: string, text: string): Promise<void> {
    await tabTo(field(name));
    await page.keyboard.press("Control+a");
    await page.keyboard.type(text);
  }

  return { button, field, expectFocus, tabTo, press, sayYes, write };
}

/** The element that has the focus without an outline; null where it has one, or where the browser itself has the focus. */
const UNSEEN_FOCUS = `(() => {
  const element = document.activeElement;
  return element === null || element === document.body || getComputedStyle(element).outlineStyle !== "none" ? null : element.outerHTML;
})()`;
