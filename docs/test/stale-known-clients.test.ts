import { KNOWN_CLIENTS } from '@grantkit/known-clients'
import { expect, it } from 'vitest'
import { staleKnownClients } from '../stale-known-clients.ts'

const [entry] = KNOWN_CLIENTS
const seen = '2026-01-01'
const linesAfter = (days: number) =>
  staleKnownClients(Date.parse(seen) + days * 24 * 60 * 60 * 1000, [{ ...entry, seen } as never])

it('says nothing of an entry whose source was looked at within 180 days', () => {
  expect(linesAfter(180)).toEqual([])
})

it('asks to look at the source after 180 days', () => {
  expect(linesAfter(181)).toEqual([expect.stringContaining('181 days ago: look at its source')])
})

it('asks to take the entry out of the default set after 365 days', () => {
  expect(linesAfter(366)).toEqual([expect.stringContaining('take it out of the default set')])
})
