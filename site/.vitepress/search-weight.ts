/**
 * How much a part of a page counts in a search: a guide more than other pages, the start of a page more than a section, a list
 * of all errors or exports less. Runs in the browser without this file around it, so it uses nothing of it.
 *
 * @param found has the headings above this one: none at the start of a page
 */
export function weightOf(page: string, _term: string, found?: Record<string, unknown>): number {
  const start = Array.isArray(found?.titles) && found.titles.length === 0 ? 1.5 : 1
  if (/^\/how-to\/(adapter|feature|store)/.test(page)) return 0.7 * start
  if (page.startsWith('/how-to/')) return 1.2 * start
  if (/^\/(errors|why|http-api|events|packages|examples)/.test(page)) return 0.75 * start
  return /^\/(reference\/(?!core-options|runtimes|specifications)|security-tests|changelog|benchmarks)/.test(
    page,
  )
    ? 0.4 * start
    : start
}
