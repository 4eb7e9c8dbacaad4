import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tracesIn } from '../../packages/core/test/model/itf.ts'
import { grantStates } from '../grant-states.ts'
import { FAULTS } from '../model/faults.ts'
import { KEPT, kindOf } from '../model/kept-traces.ts'
import { invariantNames } from '../model/quint.ts'

/** The arrows of the diagram, which is generated from the rules of core. */
function drawn(): string[] {
  const arrows = [...grantStates().matchAll(/^ {2}(\S+) --> (\S+) :/gm)]
  return arrows.map(([, from, to]) => `${from === '[*]' ? 'none' : from} to ${to === '[*]' ? 'gone' : to}`)
}

/** The arrows that the kept traces of the model take, without failovers, which go back. */
function taken(): Set<string> {
  const arrows = tracesIn(KEPT).flatMap(({ steps }) =>
    steps.slice(1).flatMap(({ action, state }, at) => {
      const before = steps[at]?.state.grant as Parameters<typeof kindOf>[0]
      const after = state.grant as Parameters<typeof kindOf>[0]
      return action === 'failover' ? [] : [`${kindOf(before)} to ${kindOf(after)}`]
    }),
  )
  return new Set(arrows)
}

it('the model takes every arrow of the diagram of states', () => {
  expect([...taken()]).toEqual(expect.arrayContaining(drawn()))
})

it('the diagram has every arrow of the model, but for a denial and the use of a newer refresh token', () => {
  const stays = ['none', 'open', 'gone'].map((state) => `${state} to ${state}`)
  const more = [...taken()].filter((arrow) => !drawn().includes(arrow) && !stays.includes(arrow))
  expect(more.sort()).toEqual(['none to gone', 'shared to rotated'])
})

/** The first two cells of each row of a section of the page. */
function rows(title: string): string[][] {
  const page = readFileSync(join(import.meta.dirname, '../model/README.md'), 'utf8')
  const [, section = ''] = page.split(`## ${title}\n`)
  const cells = [...String(section.split('\n## ')[0]).matchAll(/^\| (.+?) \| (.+?) \|$/gm)]
  return cells.slice(1).map(([, first = '', second = '']) => [first, second])
}

it('the page of the model says each invariant in a sentence', () => {
  expect(rows('What must hold').map(([name]) => name)).toEqual(invariantNames().map((name) => `\`${name}\``))
})

it('the page of the model lists each fault, and the invariant that finds it', () => {
  expect(rows('Faults')).toEqual(FAULTS.map(({ name, invariant }) => [name, `\`${invariant}\``]))
})
