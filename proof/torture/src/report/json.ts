import type { Report } from './report.ts'

/** The report as one JSON document, with the characters beyond ASCII escaped for any terminal. */
export function jsonReport(report: Report): string {
  return JSON.stringify(report, null, 2).replace(
    /[^\n\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
