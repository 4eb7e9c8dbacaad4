import { readFile, stat } from 'node:fs/promises'
import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { readComposeService } from '../../test/compose-service.ts'
import { parseSettings } from '../settings/settings.ts'

/** Tests of a deployment that need no container engine. `image.long.test.ts` builds and runs the image. */

const root = new URL('../../../../', import.meta.url)
const read = (path: string) => readFile(new URL(path, root), 'utf8')

const Compose = z.object({
  services: z.object({
    postgres: z.object({ healthcheck: z.object({ test: z.array(z.string()) }) }),
    redis: z.object({ command: z.array(z.string()) }),
    nginx: z.object({ volumes: z.array(z.string()) }),
  }),
})
const everyService = parse(await read('compose.yaml')).services as Record<string, { profiles?: string[] }>
const compose = Compose.parse({ services: everyService })
const dockerfile = await read('Dockerfile')

describe('the Dockerfile', () => {
  it('passes the linter', () => {
    expect(validate(dockerfile).map(({ message }) => message)).toEqual([])
  })

  it('starts an existing program, with the package manager of the workspace', async () => {
    const [, program = ''] = /^CMD \["node", "(.+)"\]$/m.exec(dockerfile) ?? []
    expect((await stat(new URL(program, root))).isFile()).toBe(true)
    const { packageManager } = JSON.parse(await read('package.json'))
    expect(dockerfile).toContain(`npm install --global ${packageManager}\n`)
  })
})

/** The maximum time of a shutdown in addition to DRAIN_SECONDS. */
const ANSWERS_UNDER_WAY_SECONDS = 10

const VARIABLES = {
  BASE_URL: 'https://auth.school.example',
  SECRET: 'x'.repeat(32),
  POSTGRES_PASSWORD: 'y'.repeat(20),
}

describe('compose.yaml', () => {
  it('has only service settings that production accepts', async () => {
    const { environment } = await readComposeService({ ...VARIABLES, SECRET_PREVIOUS: 's'.repeat(32) })
    const settings = parseSettings({ NODE_ENV: 'production', ...environment })
    expect(Object.keys(environment).filter((name) => !(name in settings))).toEqual([])
  })

  it.each(Object.keys(VARIABLES))('fails without %s', async (name) => {
    await expect(readComposeService({ ...VARIABLES, [name]: '' })).rejects.toThrow(`${name} is missing`)
  })

  it('stores everything in Postgres, unless another store is configured', async () => {
    const usual = Object.keys(everyService).filter((name) => everyService[name]?.profiles === undefined)
    expect(usual).toEqual(['service-1', 'service-2', 'postgres', 'nginx'])
    const settings = async (more: object) =>
      parseSettings((await readComposeService({ ...VARIABLES, ...more })).environment)
    const { DATABASE_URL, STORE_URL } = await settings({})
    expect(STORE_URL).toBe(DATABASE_URL)
    expect(await settings({ STORE_URL: 'redis://redis:6379' })).toMatchObject({
      STORE_URL: 'redis://redis:6379',
    })
  })

  it('waits for a Postgres that accepts connections from other hosts', () => {
    expect(compose.services.postgres.healthcheck.test.join(' ')).toContain('pg_isready --host 127.0.0.1')
  })

  it('has a longer stop timeout than a shutdown takes', async () => {
    const { environment, stopGracePeriod } = await readComposeService(VARIABLES)
    const { DRAIN_SECONDS } = parseSettings(environment)
    expect(stopGracePeriod).toBeGreaterThan(DRAIN_SECONDS + ANSWERS_UNDER_WAY_SECONDS)
  })

  it('configures Redis to persist everything', () => {
    const command = compose.services.redis.command.join(' ')
    expect(command).toContain('--appendonly yes')
    expect(command).toContain('--maxmemory-policy noeviction')
  })

  it('mounts the nginx configuration, which names the replicas', async () => {
    const [file = ''] = compose.services.nginx.volumes[0]?.split(':') ?? []
    const named = [...(await read(file)).matchAll(/server ([\w-]+):3000 /g)].map(([, name]) => name)
    expect(named).toEqual(Object.keys(everyService).filter((name) => name.startsWith('service')))
  })

  it('has two identical replicas', () => {
    expect(everyService['service-2']).toEqual(everyService['service-1'])
  })
})

describe('the unit of systemd', async () => {
  const unit = await read('docs/operations/grantkit@.service')

  it('starts an existing program', async () => {
    const [, program = ''] = /^ExecStart=\S+ (\S+)$/m.exec(unit) ?? []
    expect((await stat(new URL(program, root))).isFile()).toBe(true)
  })

  it('has a longer stop timeout than a shutdown takes', () => {
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? []
    expect(Number(seconds)).toBeGreaterThan(parseSettings({}).DRAIN_SECONDS + ANSWERS_UNDER_WAY_SECONDS)
  })
})

describe('the wrapper program for commands', async () => {
  const program = await read('docs/operations/grantkit')

  it('has every command of an operator', async () => {
    const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> }
    const ofDevelopers = ['cluster', 'demo']
    const commands = Object.entries(scripts).flatMap(([name, script]) =>
      script === `node apps/reference/src/commands/${name}.ts` && !ofDevelopers.includes(name) ? [name] : [],
    )
    const [, known = ''] = /^([\w |]+)\) ;;$/m.exec(program) ?? []
    expect(known.split(' | ')).toEqual(commands.sort())
  })

  it('runs them with the Node, settings and user of the unit', async () => {
    const unit = await read('docs/operations/grantkit@.service')
    const inUnit = (pattern: RegExp) => pattern.exec(unit)?.[1]
    const folder = inUnit(/^WorkingDirectory=(.+)$/m)
    const node = inUnit(/^ExecStart=(\S+) /m)
    const file = inUnit(/^EnvironmentFile=(\S+)$/m)
    const user = inUnit(/^User=(.+)$/m)
    expect(program).toContain(`cd ${folder}\n`)
    expect(program).toContain(`runuser -u ${user} -- ${node} --env-file=${file} `)
  })
})

describe('nginx.conf', async () => {
  const configuration = await read('docs/operations/nginx.conf')

  it('logs to syslog, because nginx cannot open the socket that is the standard output of a systemd service', () => {
    const logs = [...configuration.matchAll(/^\s*access_log (\S+)/gm)].map(([, file]) => file)
    expect(logs).toEqual(['/var/log/nginx/access.log'])
  })
})
