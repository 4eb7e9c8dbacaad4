import { describe, expect, it } from 'vitest'
import { boundsOfMinute } from './bounds.ts'

const refused = (reason: string, network: string) => ({ type: 'refused', reason, network })

describe('what strangers cause in a minute', () => {
  it('has a row for the first of its kind, and one with the number of the others', () => {
    const bounds = boundsOfMinute()
    const happened = refused('client_unknown', '192.0.2.0/24')
    expect(
      Array.from({ length: 100 }, () => bounds.admits(happened, 'stranger')).filter(Boolean),
    ).toHaveLength(1)
    expect(bounds.counted()).toEqual([{ ...happened, count: 99 }])
    expect(bounds.counted()).toEqual([])
    expect(bounds.admits(happened, 'stranger'), 'in the next minute').toBe(true)
  })

  it('hides nothing of another reason, however much of one there is', () => {
    const bounds = boundsOfMinute()
    const flood = Array.from({ length: 5000 }, (_, n) => refused('client_unknown', `net ${n}`))
    expect(flood.filter((happened) => bounds.admits(happened, 'stranger'))).toHaveLength(3)
    expect(bounds.admits(refused('client_secret_wrong', 'net 1'), 'stranger')).toBe(true)
    expect(bounds.counted()).toEqual([{ type: 'left_out', count: 4997, reasons: { client_unknown: 4997 } }])
  })

  it('has few rows, whatever they send', () => {
    const bounds = boundsOfMinute()
    const flood = Array.from({ length: 50_000 }, (_, n) => refused(`reason ${n % 100}`, `net ${n % 7}`))
    const rows = flood.filter((happened) => bounds.admits(happened, 'stranger')).length
    const counted = bounds.counted()
    expect([rows, counted.length]).toEqual([20, 21])
    const missing = counted.reduce((sum, { count }) => sum + Number(count), 0)
    expect(rows + missing, 'and none is forgotten').toBe(50_000)
  })
})

describe('what a user causes in a minute', () => {
  it('has sixty rows, and takes none from others', () => {
    const bounds = boundsOfMinute()
    const denied = (subject: string) => bounds.admits({ type: 'consent_denied', subject }, 'user')
    expect(Array.from({ length: 100 }, () => denied('mallory')).filter(Boolean)).toHaveLength(60)
    expect(denied('alice')).toBe(true)
    expect(bounds.counted()).toEqual([{ type: 'left_out', count: 40, reasons: { consent_denied: 40 } }])
  })

  it('is not what an operator does to many of their grants', () => {
    const bounds = boundsOfMinute()
    const ended = { type: 'grant_revoked', subject: 'alice', by: 'operator' }
    expect(Array.from({ length: 100 }, () => bounds.admits(ended, 'operator')).every(Boolean)).toBe(true)
  })
})
