import type { HttpResponse } from '@grantkit/core'
import { createFlightRecorder, parseReference, signInAttempts, verdictOf } from '@grantkit/explain'
import { expect, it } from 'vitest'
import { openService, type Service } from './service.ts'
import { CLIENT_FAULTS } from './sign-in-faults/client-faults.ts'
import { REQUEST_FAULTS } from './sign-in-faults/request-faults.ts'
import { SILENT_FAULTS } from './sign-in-faults/silent-faults.ts'
import { TOKEN_FAULTS } from './sign-in-faults/token-faults.ts'

/**
 * Each fault is provoked as its client does it. The reference is read from what the client or its user sees, and the verdict
 * from what the recorder has of it.
 */
const FAULTS = [...CLIENT_FAULTS, ...REQUEST_FAULTS, ...TOKEN_FAULTS, ...SILENT_FAULTS]

it.each(FAULTS)('$fault: $verdict', async ({ options, provoke, verdict, compared = {} }) => {
  const service = openService({ ...options, observer: signInAttempts })
  const seen = await provoke(service)
  const recorder = createFlightRecorder()
  for (const event of service.events) recorder.onEvent(event)
  const reference = seen === undefined ? latestReference(service) : shownReference(seen)
  const others = recorder.recent().filter((attempt) => attempt.reference !== reference)
  const read = verdictOf(
    recorder.attempt(reference)?.steps ?? [],
    service.clock.now,
    others.flatMap(({ steps }) => steps),
    () => true,
  )
  const facts = Object.fromEntries(read.compared.map(({ label, value }) => [label, value]))
  expect([read.id, facts]).toEqual([verdict, compared])
})

/** As a page shows it, or as a response has it in a text, a member or a header. */
function shownReference(seen: HttpResponse | Service['shown']): string {
  const ofPage = 'status' in seen ? undefined : (seen.error ?? seen.consent)?.reference
  const text = ofPage ?? JSON.stringify(seen)
  const [reference = ''] = /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(text) ?? []
  return parseReference(reference) ?? `none in ${text}`
}

function latestReference({ events }: Service): string {
  return events.findLast((event) => event.type === 'step')?.reference ?? 'none'
}
