import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { grantStates } from '../../docs/grant-states.ts'
import { tracesIn } from './core/itf.ts'
import { FAULTS } from './faults.ts'
import { KEPT, kindOf } from './kept-traces.ts'
import { invariantNames } from './quint.ts'

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

it('the diagram has every arrow of the model, but for a denial, a newer refresh token, and a late poll', () => {
  const stays = ['none', 'open', 'gone'].map((state) => `${state} to ${state}`)
  const more = [...taken()].filter((arrow) => !drawn().includes(arrow) && !stays.includes(arrow))
  expect(more.sort()).toEqual(['live to shared', 'none to gone', 'shared to rotated'])
})

interface DeviceState {
  readonly device: string
  readonly grant: { readonly phase: string }
}

/** The decision about a device until it has a grant, and then the state of that. */
function ofDevice({ device, grant }: DeviceState): string {
  return grant.phase === 'none' ? device : grant.phase
}

it('the diagram of a device code on the page of the model has the arrows that the traces take', () => {
  const taken = tracesIn(KEPT).flatMap(({ steps }) => {
    const states = steps.map(({ state }) => state as unknown as DeviceState)
    return states.slice(1).flatMap((state, at) => {
      const [from, to] = [ofDevice(states[at] ?? state), ofDevice(state)]
      return state.device === 'none' || from === to ? [] : [`${from} --> ${to}`]
    })
  })
  const arrows = [...page().matchAll(/^ {2}(\w+ --> \w+) :/gm)].map(([, arrow]) => arrow)
  expect([...new Set(taken)].sort()).toEqual(arrows.sort())
})

function page(): string {
  return readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
}

/** The first two cells of each row of a section of the page. */
function rows(title: string): string[][] {
  const [, section = ''] = page().split(`## ${title}\n`)
  const cells = [...String(section.split('\n## ')[0]).matchAll(/^\| (.+?) \| (.+?) \|$/gm)]
  return cells.slice(1).map(([, first = '', second = '']) => [first, second])
}

it('the page of the model says each invariant in a sentence', () => {
  expect(rows('What must hold').map(([name]) => name)).toEqual(invariantNames().map((name) => `\`${name}\``))
})

it('the page of the model lists each fault, and the invariant that finds it', () => {
  expect(rows('Faults')).toEqual(FAULTS.map(({ name, invariant }) => [name, `\`${invariant}\``]))
})
