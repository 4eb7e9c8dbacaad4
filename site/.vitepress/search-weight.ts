/**
 * How much a page counts in a search: a guide more than other pages, a list of all errors or exports less. Runs in the
 * browser without this file around it, so it uses nothing of it.
 */
export function weightOf(page: string): number {
  if (page.startsWith('/how-to/')) return 1.2
  if (page.startsWith('/troubleshooting')) return 0.9
  if (/^\/(errors|why)/.test(page)) return 0.6
  return /^\/(reference\/(?!core-options|specifications)|security-tests|changelog)/.test(page) ? 0.4 : 1
}
