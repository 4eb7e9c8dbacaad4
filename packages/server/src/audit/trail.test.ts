import type { Hash } from '@grantkit/core/feature'
import { describe, expect, it } from 'vitest'
import { causeOf } from '../events.ts'
import { boundsOfMinute } from './trail.ts'

const refused = (reason: string, network: string) => ({ type: 'refused', reason, network })

describe('what unauthenticated callers cause in a minute', () => {
  it('has a row for the first of its kind, and one with the number of the others', () => {
    const bounds = boundsOfMinute()
    const happened = refused('client_unknown', '192.0.2.0/24')
    expect(
      Array.from({ length: 100 }, () => bounds.admits(happened, 'unauthenticated')).filter(Boolean),
    ).toHaveLength(1)
    expect(bounds.counted()).toEqual([{ ...happened, count: 99 }])
    expect(bounds.counted()).toEqual([])
    expect(bounds.admits(happened, 'unauthenticated'), 'in the next minute').toBe(true)
  })

  it('hides no other reason, however many entries one reason has', () => {
    const bounds = boundsOfMinute()
    const flood = Array.from({ length: 5000 }, (_, n) => refused('client_unknown', `net ${n}`))
    expect(flood.filter((happened) => bounds.admits(happened, 'unauthenticated'))).toHaveLength(3)
    expect(bounds.admits(refused('client_secret_wrong', 'net 1'), 'unauthenticated')).toBe(true)
    expect(bounds.counted()).toEqual([{ type: 'left_out', count: 4997, reasons: { client_unknown: 4997 } }])
  })

  it('has few rows, regardless of what they send', () => {
    const bounds = boundsOfMinute()
    const flood = Array.from({ length: 50_000 }, (_, n) => refused(`reason ${n % 100}`, `net ${n % 7}`))
    const rows = flood.filter((happened) => bounds.admits(happened, 'unauthenticated')).length
    const counted = bounds.counted()
    expect([rows, counted.length]).toEqual([20, 21])
    const missing = counted.reduce((sum, { count }) => sum + Number(count), 0)
    expect(rows + missing, 'and none is forgotten').toBe(50_000)
  })
})

describe('what a user causes in a minute', () => {
  const denied = (subject: string, clientId: string) => ({ type: 'consent_denied', subject, clientId })

  it('has sixty rows for each type, and takes none from other types or users', () => {
    const bounds = boundsOfMinute()
    const flood = Array.from({ length: 100 }, () => bounds.admits(denied('mallory', 'app'), 'user'))
    expect(flood.filter(Boolean)).toHaveLength(60)
    expect(bounds.admits(denied('alice', 'app'), 'user')).toBe(true)
    expect(bounds.admits({ type: 'signed_out', subject: 'mallory' }, 'user')).toBe(true)
    const [row, ...others] = bounds.counted()
    expect(row, 'it names the user of the others').toEqual({
      type: 'left_out',
      subject: 'mallory',
      clientId: 'app',
      count: 40,
      reasons: { consent_denied: 40 },
    })
    expect(others).toEqual([])
  })

  it('has all signed requests of users and of clients that have authenticated: each is proof', () => {
    const bounds = boundsOfMinute()
    const facts = { clientId: 'app', authenticated: true, hash: 'h' as Hash, requestObject: 'e30.e30.x' }
    const event = { type: 'request_object_accepted', ...facts } as const
    const cause = causeOf(event) ?? 'unauthenticated'
    for (let n = 0; n < 100; n++) expect(bounds.admits(event, cause)).toBe(true)
    expect(causeOf({ ...event, authenticated: false }), 'anybody can push it again').toBe('user')
  })

  it('is counted for the client if no user is known', () => {
    const bounds = boundsOfMinute()
    const changed = (clientId: string) => ({ type: 'client_document_changed', clientId })
    for (let n = 0; n < 100; n++) bounds.admits(changed('https://loud.example/'), 'user')
    expect(bounds.admits(changed('https://quiet.example/'), 'user')).toBe(true)
  })

  it('names a few clients of the omitted entries, and counts the others together', () => {
    const bounds = boundsOfMinute()
    for (let n = 0; n < 1060; n++) bounds.admits(denied('mallory', `app ${n}`), 'user')
    const rows = bounds.counted()
    expect(rows).toHaveLength(21)
    expect(rows.at(-1)).toEqual({ type: 'left_out', count: 980, reasons: { consent_denied: 980 } })
  })

  it.each(['operator', 'decision'] as const)('is never omitted if its cause is %s', (cause) => {
    const bounds = boundsOfMinute()
    const ended = { type: 'grant_revoked', subject: 'alice' }
    expect(Array.from({ length: 100 }, () => bounds.admits(ended, cause)).every(Boolean)).toBe(true)
  })
})
