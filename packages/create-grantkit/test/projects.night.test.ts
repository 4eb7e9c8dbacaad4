import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Choices, DEFAULTS, featuresFor } from '../src/choices.ts'
import { compile, create, notesOf, type Project, projectsFolder } from './projects.ts'

/** Each framework, both kinds of pages, and the stores without a server. `matrix.night.test.ts` has all. */
const CHOICES: readonly Choices[] = [
  DEFAULTS,
  { framework: 'express', store: 'sqlite', pages: 'grantkit', features: featuresFor('grantkit') },
  { framework: 'hono', store: 'memory', pages: 'own', features: featuresFor('own') },
  { framework: 'workers', store: 'durable-objects', pages: 'grantkit', features: featuresFor('grantkit') },
]

describe('a new project', () => {
  const folder = projectsFolder()
  let projects: readonly Project[] = []

  beforeAll(async () => {
    projects = await Promise.all(CHOICES.map((choices) => create(folder.path, choices)))
  })
  afterAll(folder.remove)

  it('compiles', () => compile(folder.path, projects))

  it.each(CHOICES.map(({ framework }, index) => ({ framework, index })))(
    'signs its user in and answers the app, on $framework',
    async ({ index }) => {
      expect(await notesOf(projects[index] as Project)).toEqual(['a note of alice'])
    },
  )

  it('does not start at a public issuer with the session of Alice', async () => {
    const started = notesOf(projects[0] as Project, { ISSUER: 'https://notes.example' })
    await expect(started).rejects.toThrow('The program ended with 1')
  })
})
