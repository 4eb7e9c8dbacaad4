import { ERRORS } from '@grantkit/core/errors'
import { sha256 } from '@grantkit/core/feature'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { REASONS } from './reasons.ts'
import { formatReference } from './reference.ts'
import { readLongReference, secondGroups } from './second-group.ts'

const SECRET = 'a secret of the tests, long enough to pass'
const OTHER = 'another secret of the tests, long enough to pass'
const NOW = 1_800_000_000
const DAY = 86_400

const shown = (reason: string, at = NOW, secret = SECRET) =>
  formatReference(`7K3MQ2WD${secondGroups(secret).seal('7K3MQ2WD', reason, at)}`)

describe('the second group of a reference', () => {
  it('gives back every reason, and the minute for 45 days; what another client owns is unknown', () => {
    for (const [index, reason] of REASONS.entries()) {
      const at = NOW + 61 * index
      const read = readLongReference(shown(reason, at), SECRET, at + 45 * DAY)
      const unknown = reason.replace(/_of_other_client$/, '_unknown')
      const shownReason = REASONS.includes(unknown) ? unknown : reason
      expect(read).toEqual({ reference: '7K3MQ2WD', reason: shownReason, at: at - (at % 60) })
    }
  })

  it('has no reason for the error of a feature of yours', () => {
    expect(readLongReference(shown('of_a_feature'), SECRET, NOW)).toEqual({ reference: '7K3MQ2WD', at: NOW })
  })

  it('is read when the clock of the replica that made it is ahead', () => {
    expect(readLongReference(shown('client_unknown', NOW + 120), SECRET, NOW)?.at).toBe(NOW + 120)
  })

  it('is read with each accepted secret', () => {
    const before = shown('client_unknown', NOW, OTHER)
    expect(readLongReference(before, [OTHER, SECRET], NOW)?.reason).toBe('client_unknown')
    expect(readLongReference(before, SECRET, NOW)?.reason).not.toBe('client_unknown')
  })

  it.each([
    ['client_unknown', '7K3M-Q2WD-SNXWK'],
    ['token_claims_unavailable', '7K3M-Q2WD-06SFD'],
  ])('is the same in every release: users have written down that of %s', (reason, reference) => {
    expect(shown(reason)).toBe(reference)
  })

  it('is not read if it was invented and holds a number of no reason', () => {
    expect(secondGroups(SECRET).open('7K3MQ2WD', '7K3F2').reason).toBe(511)
    expect(readLongReference('7K3M-Q2WD-7K3F2', SECRET, NOW)).toBeUndefined()
  })

  it.each(['7K3M-Q2WD', '', 'no reference'])('is absent in %j', (text) => {
    expect(readLongReference(text, SECRET, NOW)).toBeUndefined()
  })

  it('shows nothing of what it holds: every number of 25 bits has one, and neighbours have nothing in common', () => {
    const groups = secondGroups(SECRET)
    const own = [...REASONS.keys()].filter((index) => !REASONS[index]?.endsWith('_of_other_client'))
    fc.assert(
      fc.property(fc.constantFrom(...own), fc.nat({ max: 65_535 }), (index, minute) => {
        const group = groups.seal('7K3MQ2WD', REASONS[index] ?? '', 60 * minute)
        expect(groups.open('7K3MQ2WD', group)).toEqual({ reason: index + 1, minute })
        expect(groups.seal('7K3MQ2WE', REASONS[index] ?? '', 60 * minute)).not.toBe(group)
      }),
    )
    const firsts = Array.from(
      { length: 32 },
      (_, n) => groups.seal('7K3MQ2WD', 'client_unknown', NOW + 60 * n)[0],
    )
    expect(new Set(firsts).size).toBeGreaterThan(10)
  })
})

describe('the numbers of the reasons', () => {
  it('exist for all errors: add new reasons at the end of the list', () => {
    expect(Object.keys(ERRORS).filter((reason) => !REASONS.includes(reason))).toEqual([])
    expect(new Set(REASONS).size).toBe(REASONS.length)
    expect(REASONS.length).toBeLessThan(512)
  })

  it('are never reused: the first ones keep their places', () => {
    const first = REASONS.slice(0, FIRST).join()
    expect(sha256(first)).toBe('U5me1yJi0NSmzVBRGRD_hcS2bSvh3Cmlc1rjdQ4gq_o')
  })
})

/** The number of reasons when the numbers were assigned. */
const FIRST = 169
