/**
 * What a page counts in a search: a guide more than the decision behind it, and more than an entry of the API reference. Runs in the
 * browser, where it is alone: it uses nothing of this file.
 */
export function weightOf(page: string): number {
  if (page.startsWith('/how-to/')) return 1.2
  return /^\/(adr|reference|security-tests|packages\/.*changelog)/.test(page) ? 0.4 : 1
}
