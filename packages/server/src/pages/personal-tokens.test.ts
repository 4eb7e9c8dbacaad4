import { expect, it } from 'vitest'
import { newToken } from './personal-tokens.ts'

/** The lifetimes that users may choose. */
const offered = (days: number, maxDays: number) => {
  const resources = [{ resource: 'https://api.example', name: 'Notes' }]
  const chosen = { label: 'Job', scopes: ['notes:read'], resources: ['https://api.example'] }
  const accepts = (each: number) =>
    newToken(
      { tokenChoices: { resources, days, maxDays } },
      { scopes: ['notes:read'] },
      { ...chosen, days: each },
    )
  return Array.from({ length: 400 }, (_, each) => each).filter((each) => accepts(each) !== undefined)
}

it.each([
  [30, 366, [7, 30, 60, 90, 180, 366]],
  [30, 365, [7, 30, 60, 90, 180, 365]],
  [14, 90, [7, 14, 30, 60, 90]],
  [365, 366, [7, 30, 60, 90, 180, 365, 366]],
])(
  'usual %i and at most %i days: never a day less than the maximum, unless it is the usual one',
  (...[days, max, choices]) => {
    expect(offered(days, max)).toEqual(choices)
  },
)
