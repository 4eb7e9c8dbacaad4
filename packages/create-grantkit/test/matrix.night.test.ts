import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { type RedisServer, startRedis } from '@grantkit/test-servers/redis-server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FRAMEWORKS, featuresFor, namesOf, PAGES, storesFor } from '../src/choices.ts'
import { compile, create, notesOf, type Project, projectsFolder } from './projects.ts'

const CHOICES = namesOf(FRAMEWORKS).flatMap((framework) =>
  storesFor('api', framework).flatMap((store) =>
    namesOf(PAGES).flatMap((pages) =>
      [[], featuresFor('api', pages)].map((features) => ({ framework, store, pages, features })),
    ),
  ),
)

const folder = projectsFolder()
let projects: readonly Project[] = []
let postgres: PostgresServer
let redis: RedisServer

beforeAll(async () => {
  postgres = await startPostgres()
  redis = await startRedis()
  projects = await Promise.all(CHOICES.map((choices) => create(folder.path, choices)))
})
afterAll(async () => {
  await postgres.close()
  await redis.close()
  folder.remove()
})

it('compiles every combination', () => compile(folder.path, projects))

/** Without features, one store of each framework: what a store brings to a project, it brings to one with features too. */
const started = CHOICES.map(({ features, ...rest }, index) => ({
  ...rest,
  features: features.length,
  index,
})).filter(({ framework, store, features }) => features > 0 || store === storesFor('api', framework)[0])

it.each(started)('signs in on $framework, $store, $pages, with $features features', async ({ index }) => {
  const environment = { DATABASE_URL: postgres.url, REDIS_URL: redis.url }
  expect(await notesOf(projects[index] as Project, environment)).toEqual(['a note of alice'])
})
