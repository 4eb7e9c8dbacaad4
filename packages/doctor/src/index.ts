/**
 * The Grantkit doctor: examines a live deployment from outside, as its clients see it.
 *
 * @module
 */

export type { Examination } from './command-line.ts'
export { type DiagnosisOptions, diagnose, examine, type Finding, type SendProbe } from './diagnose.ts'
export type { Evidence, Probe } from './evidence.ts'
export { examineClient } from './examine-client.ts'
export { examineKnownClient } from './examine-known-client.ts'
export { runExamination } from './run-examination.ts'
export { sendByFetch } from './send-by-fetch.ts'
