import { readFile, stat } from 'node:fs/promises'
import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { parseConfig } from '../../src/config/config.ts'
import { knownFields } from '../../src/config/variables.ts'
import { readComposeService } from './compose-service.ts'

/** Tests of a deployment that need no container engine. `image.night.test.ts` builds and runs the image. */

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

describe.each(['Dockerfile', 'apps/reference/Dockerfile'])('%s', async (path) => {
  const text = await read(path)

  it('passes the linter', () => {
    expect(validate(text).map(({ message }) => message)).toEqual([])
  })

  it('installs with the package manager of the workspace', async () => {
    const { packageManager } = JSON.parse(await read('package.json'))
    expect(text).toContain(`npm install --global ${packageManager}\n`)
  })
})

describe('the image', () => {
  it('runs the command', async () => {
    const dockerfile = await read('Dockerfile')
    const [, program = ''] = /ln -s \/grantkit\/(\S+) \/usr\/local\/bin\/grantkit /.exec(dockerfile) ?? []
    expect((await stat(new URL(program, root))).isFile()).toBe(true)
    expect(dockerfile).toMatch(/^ENTRYPOINT \["grantkit"\]\nCMD \["start"\]$/m)
  })
})

/** The maximum time of a shutdown in addition to DRAIN_SECONDS. */
const ANSWERS_UNDER_WAY_SECONDS = 10

const VARIABLES = {
  BASE_URL: 'https://auth.notes.example',
  SECRET: 'x'.repeat(32),
  POSTGRES_PASSWORD: 'y'.repeat(20),
}

describe('compose.yaml', () => {
  it('has only variables that production accepts', async () => {
    const { environment } = await readComposeService({ ...VARIABLES, SECRET_PREVIOUS: 's'.repeat(32) })
    parseConfig({ environment: { NODE_ENV: 'production', ...environment } })
    const known = knownFields().map(({ info }) => info.variable)
    expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([])
  })

  it.each(Object.keys(VARIABLES))('fails without %s', async (name) => {
    await expect(readComposeService({ ...VARIABLES, [name]: '' })).rejects.toThrow(`${name} is missing`)
  })

  it('stores everything in Postgres, unless another store is configured', async () => {
    const usual = Object.keys(everyService).filter((name) => everyService[name]?.profiles === undefined)
    expect(usual).toEqual(['server-1', 'server-2', 'postgres', 'nginx'])
    const configWith = async (more: object) =>
      parseConfig(await readComposeService({ ...VARIABLES, ...more }))
    const { database, store } = await configWith({})
    expect(store).toBe(database)
    expect(await configWith({ STORE_URL: 'redis://redis:6379' })).toMatchObject({
      store: 'redis://redis:6379',
    })
  })

  it('waits for a Postgres that accepts connections from other hosts', () => {
    expect(compose.services.postgres.healthcheck.test.join(' ')).toContain('pg_isready --host 127.0.0.1')
  })

  it('has a longer stop timeout than a shutdown takes', async () => {
    const { environment, stopGracePeriod } = await readComposeService(VARIABLES)
    const { drainSeconds } = parseConfig({ environment })
    expect(stopGracePeriod).toBeGreaterThan(drainSeconds + ANSWERS_UNDER_WAY_SECONDS)
  })

  it('configures Redis to persist everything', () => {
    const command = compose.services.redis.command.join(' ')
    expect(command).toContain('--appendonly yes')
    expect(command).toContain('--maxmemory-policy noeviction')
  })

  it('mounts the nginx configuration, which names the replicas', async () => {
    const [file = ''] = compose.services.nginx.volumes[0]?.split(':') ?? []
    const named = [...(await read(file)).matchAll(/server ([\w-]+):3000 /g)].map(([, name]) => name)
    expect(named).toEqual(Object.keys(everyService).filter((name) => name.startsWith('server')))
  })

  it('has two identical replicas', () => {
    expect(everyService['server-2']).toEqual(everyService['server-1'])
  })
})

describe('the unit of systemd', async () => {
  const unit = await read('docs/operations/grantkit@.service')

  it('starts an existing program', async () => {
    const [, program = ''] = /^ExecStart=\S+ \/opt\/grantkit\/(\S+) start$/m.exec(unit) ?? []
    expect((await stat(new URL(program, root))).isFile()).toBe(true)
  })

  it('has a longer stop timeout than a shutdown takes', () => {
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? []
    expect(Number(seconds)).toBeGreaterThan(
      parseConfig({ environment: {} }).drainSeconds + ANSWERS_UNDER_WAY_SECONDS,
    )
  })
})

describe('the wrapper program for commands', async () => {
  const program = await read('docs/operations/grantkit')

  it('runs them with the Node, settings and user of the unit', async () => {
    const unit = await read('docs/operations/grantkit@.service')
    const inUnit = (pattern: RegExp) => pattern.exec(unit)?.[1]
    const folder = inUnit(/^WorkingDirectory=(.+)$/m)
    const [, node, command] = /^ExecStart=(\S+) (\S+) start$/m.exec(unit) ?? []
    const file = inUnit(/^EnvironmentFile=(\S+)$/m)
    const user = inUnit(/^User=(.+)$/m)
    expect(program).toContain(`cd ${folder}\n`)
    expect(program).toContain(`runuser -u ${user} -- ${node} --env-file=${file} ${command} `)
  })
})

describe('nginx.conf', async () => {
  const configuration = await read('docs/operations/nginx.conf')

  it('logs to syslog, because nginx cannot open the socket that is the standard output of a systemd service', () => {
    const logs = [...configuration.matchAll(/^\s*access_log (\S+)/gm)].map(([, file]) => file)
    expect(logs).toEqual(['/var/log/nginx/access.log'])
  })
})
