import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Choices, completed, DEFAULTS, FRAMEWORKS, featuresFor, namesOf } from '../src/choices.ts'
import { compile, create, notesOf, type Project, passesItsTest, projectsFolder } from './projects.ts'

const ALL = featuresFor('api', 'grantkit')

/** Each framework, both kinds of pages, and the stores without a server. `matrix.night.test.ts` has all. Last is a Worker with every feature, for `compile`. */
const CHOICES: readonly Partial<Choices>[] = [
  DEFAULTS,
  ...namesOf(FRAMEWORKS).map((framework) => ({ ...completed({ app: 'mcp', framework }), name: 'Tools' })),
  { framework: 'express', store: 'sqlite', features: ALL, accent: '#7c3aed', languages: ['de', 'en'] },
  { framework: 'hono', pages: 'own', features: featuresFor('api', 'own') },
  { framework: 'workers', store: 'durable-objects', features: ALL },
]

describe('a new project', () => {
  const folder = projectsFolder()
  let projects: readonly Project[] = []

  beforeAll(async () => {
    projects = await Promise.all(CHOICES.map((choices) => create(folder.path, choices)))
  })
  afterAll(folder.remove)

  it('compiles', () => compile(folder.path, projects))

  it.each(CHOICES.map((choices, index) => ({ ...DEFAULTS, ...choices, index })))(
    'signs its user in and answers the $app, on $framework',
    async ({ index }) => {
      expect(await notesOf(projects[index] as Project)).toEqual(['a note of alice'])
    },
  )

  it.each(
    CHOICES.map((choices, index) => ({ ...DEFAULTS, ...choices, index })).filter(
      ({ framework }) => framework !== 'workers',
    ),
  )('passes its own test: $app, on $framework', ({ index }) => passesItsTest(projects[index] as Project))

  it('does not start at a public issuer with the session of Alice', async () => {
    const started = notesOf(projects[0] as Project, { ISSUER: 'https://notes.example' })
    await expect(started).rejects.toThrow('The program ended with 1')
  })
})
