/** The text of a style that is adopted by the script that needs it (`deploy/bundle/pages.mjs`). */
declare module "*.css" {
  const text: string;
  export default text;
}
