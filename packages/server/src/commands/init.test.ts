import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isOnByDefault, KNOWN_CLIENTS } from '@grantkit/known-clients'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { runCommand } from 'citty'
import { describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../config/read-config.ts'
import { trial } from './check-configuration.ts'
import { init } from './grantkit.ts'

async function initialized(...options: readonly string[]): Promise<string> {
  vi.spyOn(console, 'log').mockReturnValue()
  const folder = await temporaryFolder()
  await runCommand(init, { rawArgs: [folder, '--yes', ...options] })
  return folder
}

const configIn = async (folder: string) =>
  (await readConfig({ file: join(folder, 'grantkit.config.ts'), environment: {} })).config
const servicesIn = async (folder: string) =>
  parse(await readFile(join(folder, 'compose.yaml'), 'utf8')).services

const EXTERNAL = 'https://app.example/sign-in'

describe('grantkit init', () => {
  it.each([
    ['here', 'sqlite', ''],
    ['here', 'postgres', 'https://mcp.notes.example/mcp'],
    [EXTERNAL, 'sqlite', 'https://mcp.notes.example/mcp'],
    [EXTERNAL, 'postgres', ''],
  ])('writes a configuration that a start accepts: users %s, %s, resource %j', async (users, ...rest) => {
    const [database, resource] = rest
    const options = [`--users=${users}`, `--database=${database}`, `--resource=${resource}`]
    const folder = await initialized(`--name=Ada's "Notes" \\ 1`, ...options)
    const config = await configIn(folder)
    expect(await trial({ config, definition: {} })).toEqual([])
    expect(config.brand.name).toBe(`Ada's "Notes" \\ 1`)
    expect(config.database).toMatch(database === 'sqlite' ? `sqlite:${folder}/` : /^postgres:/)
    expect(Object.keys(config.resources)).toEqual(resource === '' ? [] : [resource])
    expect(config.users?.kind).toBe(users === 'here' ? undefined : 'external')
  })

  it('lets the default set of known clients in, unless the operator says no', async () => {
    const knownClients = async (...options: readonly string[]) =>
      (await configIn(await initialized(...options))).features.knownClients
    const defaultSet = KNOWN_CLIENTS.filter(isOnByDefault).map(({ id }) => id)
    expect((await knownClients()).toSorted()).toEqual(defaultSet.toSorted())
    expect(await knownClients('--known-clients=off')).toEqual([])
  })

  it.each([
    ['http://127.0.0.1:4321', 4321, '127.0.0.1:4321:3000'],
    ['https://auth.example', 3000, '127.0.0.1:3000:3000'],
    ['https://localhost:8443', 3000, '127.0.0.1:3000:3000'],
  ])(
    'lets the server at %s listen on port %i, and publishes its container at %s',
    async (url, port, ports) => {
      const folder = await initialized(`--url=${url}`)
      expect((await configIn(folder)).port).toBe(port)
      const { grantkit } = await servicesIn(folder)
      expect(grantkit.environment).toMatchObject({ PORT: '3000', BASE_URL: url })
      expect(grantkit.ports).toEqual([ports])
    },
  )

  it('runs containers in production mode, except at an http address, which production refuses', async () => {
    const environmentAt = async (url: string) =>
      (await servicesIn(await initialized(`--url=${url}`))).grantkit.environment
    expect(await environmentAt('https://auth.example')).not.toHaveProperty('NODE_ENV')
    expect(await environmentAt('http://127.0.0.1:3000')).toMatchObject({ NODE_ENV: 'development' })
  })

  it('writes what production needs at a public address, and says how the signing keys are created', async () => {
    const printed = vi.spyOn(console, 'log').mockReturnValue()
    const folder = await initialized('--url=https://auth.example')
    const { mode, keysFile } = await configIn(folder)
    expect([mode, keysFile]).toEqual(['production', join(folder, 'data/keys.json')])
    expect(printed.mock.lastCall?.[0]).toContain('\n  npx grantkit keys rotate\n  npx grantkit check\n')
  })

  it('writes secrets into .env alone, which only its owner reads', async () => {
    const folder = await initialized(`--users=${EXTERNAL}`, '--database=postgres')
    const environment = await readFile(join(folder, '.env'), 'utf8')
    const secrets = [...environment.matchAll(/^\w+=(.{32,})$/gm)].map(([, secret = '']) => secret)
    expect(secrets).toHaveLength(4)
    expect((await stat(join(folder, '.env'))).mode & 0o077).toBe(0)
    for (const file of ['grantkit.config.ts', 'compose.yaml', '.gitignore']) {
      const content = await readFile(join(folder, file), 'utf8')
      expect(secrets.filter((secret) => content.includes(secret))).toEqual([])
    }
    expect(await readFile(join(folder, '.gitignore'), 'utf8')).toContain('.env\n')
  })

  it('runs the server in containers with Postgres only if it is chosen', async () => {
    const services = async (database: string) => servicesIn(await initialized(`--database=${database}`))
    expect(Object.keys(await services('sqlite'))).toEqual(['grantkit', 'keys'])
    const { grantkit, keys, postgres } = await services('postgres')
    expect(Object.keys(grantkit.depends_on)).toEqual(['keys', 'postgres'])
    expect([keys.environment, postgres.ports]).toEqual([grantkit.environment, ['127.0.0.1:5432:5432']])
  })

  it.each([
    ['module', false],
    ['commonjs', true],
  ])('says what a package.json of type %s lacks', async (type, isSaid) => {
    const printed = vi.spyOn(console, 'log').mockReturnValue()
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type }))
    await runCommand(init, { rawArgs: [folder, '--yes'] })
    expect(printed.mock.lastCall?.[0].includes('\n  npm pkg set type=module\n')).toBe(isSaid)
  })

  it('says how the commands of an installation in this folder are called', async () => {
    const printed = vi.spyOn(console, 'log').mockReturnValue()
    await initialized('--database=sqlite')
    expect(printed.mock.lastCall?.[0]).toMatch(
      / Next:\n\n {2}npx grantkit check\n {2}npx grantkit start\n {2}npx grantkit users add /,
    )
  })

  it('says how to get the Postgres that it is to use', async () => {
    const printed = vi.spyOn(console, 'log').mockReturnValue()
    await initialized('--database=postgres')
    expect(printed.mock.lastCall?.[0]).toContain(
      '\n  docker compose up -d postgres  # or set DATABASE_URL in .env to a Postgres that you have\n',
    )
  })

  it('overwrites nothing, and then writes nothing', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'compose.yaml'), 'mine')
    await expect(runCommand(init, { rawArgs: [folder, '--yes'] })).rejects.toThrow(
      'Nothing was written: compose.yaml is there already.',
    )
    expect(await readdir(folder)).toEqual(['compose.yaml'])
  })

  it.each([
    ['--url=http://auth.example', '--url must be an https URL, or one of localhost, without'],
    ['--users=there', '--users must be here, or the https URL of the sign-in page of your application'],
    ['--resource=notes', '--resource must be a URL without a fragment, or empty, not "notes".'],
    ['--name= ', '--name must not be empty'],
    ['--accent=teal', '--accent must be a color such as #0f766e, not "teal".'],
  ])('refuses %s, and writes nothing', async (option, problem) => {
    const folder = await temporaryFolder()
    await expect(runCommand(init, { rawArgs: [folder, '--yes', option] })).rejects.toThrow(problem)
    expect(await readdir(folder)).toEqual([])
  })

  it.each(['http://127.0.0.1:3000', 'https://auth.example'])('lets nobody sign up at %s', async (url) => {
    const { upstream } = await configIn(await initialized(`--url=${url}`))
    expect(upstream).toEqual([])
  })

  it('needs a terminal for its questions', async () => {
    const folder = await temporaryFolder()
    await expect(runCommand(init, { rawArgs: [folder] })).rejects.toThrow(
      'There is no terminal to ask in: say --yes.',
    )
  })
})
