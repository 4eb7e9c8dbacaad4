import type { DocumentFetchResponse } from '@grantkit/core/client-documents'
import { freshFor } from '@grantkit/core/client-documents'
import { type Check, skippedWithout } from './check.ts'
import { type ClientEvidence, documentAnswer, readDocument } from './client-evidence.ts'

const LEAST = 5 * 60
const MOST = 24 * 60 * 60

/** For how long a server keeps the document, so that the next user does not wait for its host. */
export const DOCUMENT_LIFE: Check<ClientEvidence> = {
  id: 'client-cache',
  causes: 'document_unreachable',
  title: 'A server may keep it',
  fix: 'Its publisher should send `Cache-Control: max-age=3600`. Else each authorization asks its host, at most six times a minute.',
  examine: skippedWithout(readDocument, (answer) =>
    secondsOf(answer) === undefined ? forbidding(answer) : undefined,
  ),
  note(evidence) {
    const answer = documentAnswer(evidence)
    const seconds = (answer && secondsOf(answer)) ?? LEAST
    const limit = { [LEAST]: ', the least', [MOST]: ', the most' }[seconds] ?? ''
    return `for ${inWords(seconds)}${limit}`
  },
}

function secondsOf({ headers }: DocumentFetchResponse): number | undefined {
  return freshFor(headers, Math.floor(Date.now() / 1000))
}

function forbidding({ headers }: DocumentFetchResponse): string {
  const { 'cache-control': cacheControl = '', vary = '' } = headers
  return vary.includes('*') ? `vary: ${vary}` : `cache-control: ${cacheControl}`
}

function inWords(seconds: number): string {
  const [count, unit] = seconds % 3600 === 0 ? [seconds / 3600, 'hour'] : [Math.round(seconds / 60), 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
