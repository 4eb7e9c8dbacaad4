import { startPostgres } from '@grantkit/test-servers/postgres-server'
import { expect, it, onTestFinished } from 'vitest'
import { grantkitProgram } from '../grantkit-program.ts'
import { type InitProject, initProject } from './init-project.ts'

/** The server with the environment of the compose file that `grantkit init` writes. `image.night.test.ts` runs its containers. */

/** Starts it as the image does, with files and a Postgres of this machine. */
async function startedAsIn({ folder, environment, keys }: InitProject, postgres = '') {
  const here = Object.entries(environment).map(([name, value]) => [
    name,
    value.replace('/data/', `${folder}/`).replace('@postgres/', `@${postgres}/`),
  ])
  const program = grantkitProgram(folder, { NODE_ENV: 'production', ...Object.fromEntries(here) })
  expect(keys.command).toEqual([expect.stringContaining('grantkit keys rotate')])
  await program.run(['keys', 'rotate'])
  return program.start()
}

async function issuerAt(url: string): Promise<string> {
  const metadata = await fetch(`${url}/.well-known/oauth-authorization-server`)
  return ((await metadata.json()) as { issuer: string }).issuer
}

it('starts in production mode on Postgres at an https address', async () => {
  const postgres = await startPostgres('fsync=off')
  onTestFinished(() => postgres.close())
  const url = 'https://auth.notes.example'
  const project = await initProject('--database=postgres', `--url=${url}`)
  const { DATABASE_URL = '' } = project.environment
  expect(DATABASE_URL).toMatch(/^postgres:\/\/grantkit:\w{40}@postgres\/grantkit$/)
  const asSuperuser = DATABASE_URL.replace(/\/\/grantkit:\w+(.*)\/grantkit/, '//postgres$1/postgres')
  const environment = { ...project.environment, DATABASE_URL: asSuperuser }
  const server = await startedAsIn({ ...project, environment }, `127.0.0.1:${postgres.port}`)
  expect(await issuerAt(server.url)).toBe(url)
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  expect(server.output()).toContain('"msg":"listening"')
})

it('starts on SQLite at the http address of the default answers', async () => {
  const server = await startedAsIn(await initProject())
  expect(await issuerAt(server.url)).toBe('http://127.0.0.1:3000')
})
