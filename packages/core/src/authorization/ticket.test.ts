import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { grantOfTicket, openTicket, sealTicket, spentUntil, ticketsFor } from './ticket.ts'

const secret = ['secret'] as const
const about = { purpose: 'consent', session: 'session', query: 'client_id=a&scope=b' } as const

describe('a ticket', () => {
  const ticket = sealTicket(secret, about, 1000, 'nonce')

  it('returns its time for its subject', () => {
    expect(openTicket(secret, about, ticket)?.time).toBe(1000)
  })

  it.each([
    ['another session', { ...about, session: 'other' }],
    ['another query', { ...about, query: 'client_id=a&scope=c' }],
    ['another purpose', { ...about, purpose: 'sign-in' as const }],
    ['fields that run together', { ...about, session: 'sessionc', query: 'lient_id=a&scope=b' }],
  ])('is worthless for %s', (_, other) => {
    expect(openTicket(secret, other, ticket)).toBeUndefined()
  })

  it.each([
    ['a later time', ticket.replace('1000', '9999')],
    ['another nonce', ticket.replace('nonce', 'other')],
    ['a part before it', `x.${ticket}`],
    ['a character before it', `x${ticket}`],
    ['a fourth part', `${ticket}.x`],
    ['an empty fourth part', `${ticket}.`],
    ['a line after it', `${ticket}\n`],
    ['no mac', '1000.nonce.'],
    ['nothing', ''],
    ['a time that is no number', ticket.replace('1000', '1e99')],
  ])('is worthless with %s', (_, forged) => {
    expect(openTicket(secret, about, forged)).toBeUndefined()
  })

  it('is invalid with a malformed time, even if this server made it', () => {
    for (const time of [-1, 1_000_000_000_000, Number.NaN])
      expect(openTicket(secret, about, sealTicket(secret, about, time, 'nonce'))).toBeUndefined()
  })

  it('is worthless if time and nonce are not separated', () => {
    const [, , mac] = sealTicket(secret, about, 12, '3').split('.')
    expect(openTicket(secret, about, `1.23.${mac}`)).toBeUndefined()
  })

  it('is worthless under another secret', () => {
    expect(openTicket(['other'], about, ticket)).toBeUndefined()
  })
})

describe('the tickets of a feature', () => {
  const ofFeature = { session: 'session', query: 'id=a' }
  const tickets = (purpose: string) => ticketsFor(purpose, secret, randomBytes)

  it('open only for the purpose that they were made for', () => {
    const ticket = tickets('key-2').seal(ofFeature, 1000)
    expect(tickets('key-2').open(ofFeature, ticket)).toBe(1000)
    expect(tickets('key-3').open(ofFeature, ticket)).toBeUndefined()
  })

  it.each(['', 'Key', '2-keys', '-key', 'a key', 'key\n', 'key\nsession'])(
    'have no purpose %j: one is a line of lower-case letters, digits and hyphens',
    (purpose) => {
      expect(() => tickets(purpose)).toThrow(`"${purpose}" cannot be a purpose`)
    },
  )
})

it('a spent ticket is remembered for a minute longer than it lasts', () => {
  expect(spentUntil(1000, { consentTicket: 600 })).toBe(1660)
})

describe('grantOfTicket', () => {
  it('gives one grant for one ticket, and cannot be computed without the secret', () => {
    expect(grantOfTicket(secret[0], 'a')).toEqual(grantOfTicket(secret[0], 'a'))
    expect(grantOfTicket(secret[0], 'a').id).not.toBe(grantOfTicket(secret[0], 'b').id)
    expect(grantOfTicket(secret[0], 'a').code).not.toBe(grantOfTicket(secret[0], 'b').code)
    expect(grantOfTicket(secret[0], 'a').code).not.toBe(grantOfTicket('other', 'a').code)
  })

  it('has the form of a code', () => {
    expect(grantOfTicket(secret[0], 'a').id).toMatch(/^[\w-]{22}$/)
    expect(grantOfTicket(secret[0], 'a').code).toMatch(/^[\w-]{43}$/)
  })
})
