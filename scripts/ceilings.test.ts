import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type Ceilings, lowered, measured, overCeilings } from './ceilings.ts'

it('nothing is over its ceiling: raise one in a commit that says why', () => {
  const ceilings = JSON.parse(readFileSync(new URL('../ceilings.json', import.meta.url), 'utf8')) as Ceilings
  expect(overCeilings(ceilings, measured())).toEqual([])
})

it('names what grew, and what is new', () => {
  expect(overCeilings({ lines: 10, files: 2 }, { lines: 11, files: 2, names: 1 })).toEqual([
    'lines: 11, at most 10',
    'names: 1, at most none yet',
  ])
})

it('falls with what it limits, never rises, and goes with it', () => {
  expect(lowered({ lines: 10, files: 2, gone: 1 }, { lines: 9, files: 3 })).toEqual({ lines: 9, files: 2 })
})
