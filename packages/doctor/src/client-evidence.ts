import type { DocumentFetchResponse } from '@grantkit/core/client-documents'
import { orSkipped } from './check.ts'

/** What the host of a client's document answered. */
export interface ClientEvidence {
  /** The address of the document. */
  readonly clientId: string
  /** The answer, or why there is none. Absent without a request. */
  readonly answer?: DocumentFetchResponse | Error | undefined
}

/** The answer of the host, whatever it says. */
export function hostAnswer({ answer }: ClientEvidence): DocumentFetchResponse | undefined {
  return answer instanceof Error ? undefined : answer
}

export function documentAnswer(evidence: ClientEvidence): DocumentFetchResponse | undefined {
  const answer = hostAnswer(evidence)
  return answer?.status === 200 ? answer : undefined
}

export const readDocument = orSkipped(documentAnswer, 'there is no document')
