import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { askChoices, askFolder, DEFAULT_FOLDER } from './ask.ts'
import { featuresFor } from './choices.ts'
import { ChoiceError } from './read-choices.ts'

const [ENTER, DOWN, SPACE, CANCEL] = ['\r', '\u001b[B', ' ', '\u0003']

/** Presses the next keys whenever a question is shown. */
function terminal(...answers: readonly (readonly string[])[]) {
  const input = new PassThrough()
  const output = new PassThrough()
  const left = [...answers]
  let shown = ''
  output.on('data', (chunk) => {
    shown += chunk
    if (!shown.includes('◆')) return
    shown = ''
    for (const key of left.shift() ?? []) setImmediate(() => input.write(key))
  })
  return { input, output }
}

it('asks for everything, in the order of the options', async () => {
  const answers = terminal([DOWN, ENTER], [DOWN, DOWN, ENTER], [ENTER], [SPACE, DOWN, SPACE, ENTER], ['n'])
  expect(await askChoices({}, answers)).toEqual({
    framework: 'express',
    store: 'postgres',
    pages: 'grantkit',
    features: featuresFor('grantkit').slice(0, 2),
  })
})

it('asks for what the arguments left open alone', async () => {
  const given = { framework: 'hono', pages: 'own', features: [] } as const
  expect(await askChoices(given, terminal([DOWN, ENTER]))).toEqual({ ...given, store: 'sqlite' })
})

it('asks for no store on Workers, where one runs', async () => {
  const given = { pages: 'own', features: [] } as const
  const choices = await askChoices(given, terminal([DOWN, DOWN, DOWN, ENTER]))
  expect(choices).toEqual({ ...given, framework: 'workers', store: 'durable-objects' })
})

it('offers own pages no feature that shows pages', async () => {
  const given = { framework: 'hono', store: 'memory', pages: 'own' } as const
  const { features } = await askChoices(given, terminal([SPACE, ENTER], ['n']))
  expect(features).toEqual(featuresFor('own').slice(0, 1))
})

it('asks whether known clients may sign in', async () => {
  const given = { framework: 'hono', store: 'memory', pages: 'grantkit' } as const
  const { features } = await askChoices(given, terminal([ENTER], [ENTER]))
  expect(features).toEqual(['known-clients'])
})

it('asks for another folder until one is accepted', async () => {
  const check = (folder: string) => {
    if (folder === 'a') throw new ChoiceError('a is not empty.')
  }
  expect(await askFolder(check, terminal(['a', ENTER, 'b', ENTER]))).toBe('ab')
  expect(await askFolder(check, terminal([ENTER]))).toBe(DEFAULT_FOLDER)
})

it('says that a cancelled question wrote nothing', async () => {
  await expect(askChoices({}, terminal([CANCEL]))).rejects.toThrow('Cancelled. Nothing was written.')
})
