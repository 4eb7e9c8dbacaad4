import type { Grant } from '../kernel/records.ts'

/** A program that its platform identified. Neither a user of this server nor a client. */
export interface Workload {
  /** `iss` of its platform token. */
  readonly issuer: string
  /** `sub` of its platform token. */
  readonly subject: string
}

/** The workload of a grant without a user. */
export function workloadOf({
  subject,
  authority,
}: Pick<Grant, 'subject' | 'authority'>): Workload | undefined {
  if (subject !== undefined || authority === undefined) return undefined
  return { issuer: authority.issuer, subject: authority.subject }
}
