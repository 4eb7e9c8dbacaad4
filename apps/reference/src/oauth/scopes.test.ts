import { describe, expect, it } from 'vitest'
import { areas, SCOPES, type Scope } from './scopes.ts'

/** The documented scopes, repeated so that a mistake in the table fails a test. */
const DOCUMENTED =
  `openid profile email courses:read courses:write students:read students:write members:read members:write
analytics:read curriculum:read curriculum:write orders:read school:read school:write appearance:read appearance:write
events:read events:write membership_plans:read membership_plans:write coupons:read coupons:write posts:read posts:write
subscriptions:read subscriptions:write digital_products:read digital_products:write comments:read lecturers:read
lecturers:write storage:write forms:read pages:read pages:write account:read account:write`.split(/\s/)

describe('the scope catalogue', () => {
  it('has the 38 documented scopes and no other', () => {
    expect(DOCUMENTED).toHaveLength(38)
    expect(Object.keys(SCOPES)).toEqual(DOCUMENTED)
  })

  it.each(['en', 'de', 'fr', 'es', 'pt-BR', 'ja'])(
    'has another description for each of them in %s',
    (tag) => {
      const texts = Object.values(SCOPES).map(({ description }) => Reflect.get(Object(description), tag))
      for (const text of texts) expect(text).toMatch(/^.{5,}$/)
      expect(new Set(texts).size).toBe(DOCUMENTED.length)
    },
  )

  it('has only the catalogue areas as baseline scopes', () => {
    const baseline = Object.entries(SCOPES).flatMap(([name, scope]) => (scope.baseline ? [name] : []))
    expect(baseline).toEqual(areas.filter(({ catalogue }) => catalogue).map(({ name }) => `${name}:read`))
  })

  it('rejects unknown scopes at compile time', () => {
    // @ts-expect-error there is no such scope
    const scope: Scope = 'comments:write'
    expect(SCOPES).not.toHaveProperty([scope])
  })
})
