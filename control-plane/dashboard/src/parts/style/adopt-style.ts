/** Adds the style of what is loaded later: pages that never show it don't load it. @param text of a style sheet */
export function adoptStyle(text: string): void {
  const style = new CSSStyleSheet();
  style.replaceSync(text);
  document.adoptedStyleSheets.push(style);
}
