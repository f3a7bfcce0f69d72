import type { Page } from "playwright-core";

/** Waits until the page shows its content and awaits nothing more. */
export async function untilShown(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByText("Loading …").first().waitFor({ state: "detached" });
}
