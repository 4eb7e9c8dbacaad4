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

const PROGRAM = { app: 'api', name: 'Notes' } as const
const SERVER = { url: 'http://127.0.0.1:3000', users: 'here', resource: '' }

it('asks for everything, in the order of the options', async () => {
  const answers = terminal(
    ...[[DOWN, ENTER], ['N', ENTER], [DOWN, ENTER], [DOWN, DOWN, ENTER], [ENTER]],
    ...[[SPACE, DOWN, SPACE, ENTER], ['n']],
  )
  expect(await askChoices({}, answers)).toEqual({
    ...SERVER,
    app: 'mcp',
    name: 'N',
    framework: 'express',
    store: 'postgres',
    pages: 'grantkit',
    features: featuresFor('api', 'grantkit').slice(0, 2),
  })
})

it('asks for what the arguments left open alone', async () => {
  const given = { ...PROGRAM, framework: 'hono', pages: 'own', features: [] } as const
  expect(await askChoices(given, terminal([DOWN, ENTER]))).toEqual({ ...SERVER, ...given, store: 'sqlite' })
})

it('asks for no store on Workers, where one runs', async () => {
  const given = { ...PROGRAM, pages: 'own', features: [] } as const
  const choices = await askChoices(given, terminal([DOWN, DOWN, DOWN, ENTER]))
  expect(choices).toEqual({ ...SERVER, ...given, framework: 'workers', store: 'durable-objects' })
})

it('offers own pages no feature that shows pages', async () => {
  const given = { ...PROGRAM, framework: 'hono', store: 'memory', pages: 'own' } as const
  const { features } = await askChoices(given, terminal([SPACE, ENTER], ['n']))
  expect(features).toEqual(featuresFor('api', 'own').slice(0, 1))
})

it('asks where the users of a server are, and for no framework', async () => {
  const sideDoor = 'https://app.example/sign-in'
  const all = terminal(
    ...[[DOWN, DOWN, ENTER], ['N', ENTER], [ENTER], [DOWN, ENTER], [sideDoor, ENTER]],
    ...[[DOWN, ENTER], [ENTER], [ENTER]],
  )
  const answers = { name: 'N', ...SERVER, users: sideDoor, store: 'postgres', features: ['known-clients'] }
  expect(await askChoices({}, all)).toMatchObject({ app: 'server', ...answers })
})

it('refuses an argument that means nothing there, before it asks more', async () => {
  const given = { framework: 'hono' } as const
  await expect(askChoices(given, terminal([DOWN, DOWN, ENTER]))).rejects.toThrow(
    '--framework is for --app api or mcp.',
  )
})

it('asks whether known clients may sign in', async () => {
  const given = { ...PROGRAM, framework: 'hono', store: 'memory', pages: 'grantkit' } as const
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
