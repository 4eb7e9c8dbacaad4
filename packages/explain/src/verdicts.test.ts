import { ERRORS } from '@grantkit/core/errors'
import { describe, expect, it } from 'vitest'
import type { VerdictText } from './verdicts/verdict-text.ts'
import { VERDICTS } from './verdicts.ts'

it('each error of the server has a verdict', () => {
  expect(Object.keys(ERRORS).filter((reason) => !(reason in VERDICTS))).toEqual([])
})

describe('the words of all verdicts', () => {
  /** The verdicts of which this is not true. */
  const exceptions = (isTrueOf: (text: VerdictText) => boolean) =>
    Object.entries(VERDICTS).flatMap(([id, text]) => (isTrueOf(text) ? [] : [id]))
  const texts = ({ sentence, fix, toDeveloper }: VerdictText) => [sentence, fix, toDeveloper]

  it('are whole sentences', () => {
    const isWhole = (text: string) => /^[A-Z`].*[^.][.?]$/.test(text)
    expect(exceptions((verdict) => texts(verdict).every(isWhole))).toEqual([])
  })

  it('say in one sentence what happened', () => {
    expect(exceptions(({ sentence }) => !/[.?] [A-Z]/.test(sentence))).toEqual([])
  })

  it('have no markup but backticks around names', () => {
    const isPlain = (text: string) => !/[<>|*]/.test(text) && text.split('`').length % 2 === 1
    expect(exceptions((verdict) => texts(verdict).every(isPlain))).toEqual([])
  })

  it('reveal no internals of the server to the developer of the app', () => {
    const settings =
      /[A-Z]{2,}_[A-Z]|`(admit|pinned|baseUrl|lifetimes|resourceServer|pkceOptional|nonceOptional|claims)/
    const parts = /replica|\bstore\b|database|proxy|firewall|\blog\b|stolen|thief|grantkit/i
    expect(exceptions(({ toDeveloper }) => !settings.test(toDeveloper) && !parts.test(toDeveloper))).toEqual(
      [],
    )
  })

  it('reveal no reason to the developer of the app that responses do not have', () => {
    const codes = new Set<string>(Object.values(ERRORS).map(({ error }) => error))
    const kept = Object.keys(ERRORS).filter((reason) => !codes.has(reason))
    expect(exceptions(({ toDeveloper }) => !kept.some((one) => toDeveloper.includes(one)))).toEqual([])
  })
})
