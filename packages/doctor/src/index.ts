/**
 * The Grantkit doctor: examines a live deployment from outside, as its clients see it.
 *
 * @module
 */
export { type DiagnosisOptions, diagnose, examine, type Finding, type SendProbe } from './diagnose.ts'
export type { Evidence, Probe } from './evidence.ts'
export { examineClient } from './examine-client.ts'
export { sendByFetch } from './send-by-fetch.ts'
