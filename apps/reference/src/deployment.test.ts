import { readFile, stat } from 'node:fs/promises'
import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { parseSettings } from './settings.ts'

/** Tests of a deployment that need no container engine. */

const root = new URL('../../../', import.meta.url)
const read = (path: string) => readFile(new URL(path, root), 'utf8')

const Compose = z.object({
  services: z.object({
    service: z.object({ environment: z.record(z.string(), z.string()) }),
    redis: z.object({ command: z.array(z.string()) }),
    nginx: z.object({ volumes: z.array(z.string()) }),
  }),
})
const compose = Compose.parse(parse(await read('compose.yaml')))
const dockerfile = await read('Dockerfile')

describe('the Dockerfile', () => {
  it('passes the linter', () => {
    expect(validate(dockerfile).map(({ message }) => message)).toEqual([])
  })

  it('runs an existing program, with the package manager of the workspace', async () => {
    const [, program = ''] = /^CMD \["node", "(.+)"\]$/m.exec(dockerfile) ?? []
    expect((await stat(new URL(program, root))).isFile()).toBe(true)
    const { packageManager } = JSON.parse(await read('package.json'))
    expect(dockerfile).toContain(`npm install --global ${packageManager}\n`)
  })
})

describe('compose.yaml', () => {
  it('gives the service settings that production accepts, and no others', () => {
    const { environment } = compose.services.service
    const given = { ...environment, BASE_URL: 'https://auth.school.example', SECRET: 'x'.repeat(32) }
    const settings = parseSettings({ NODE_ENV: 'production', ...given })
    expect(Object.keys(environment).filter((name) => !(name in settings))).toEqual([])
  })

  it('runs a Redis that loses nothing', () => {
    const command = compose.services.redis.command.join(' ')
    expect(command).toContain('--appendonly yes')
    expect(command).toContain('--maxmemory-policy noeviction')
  })

  it('mounts the nginx configuration, which knows the service by its name', async () => {
    const [file = ''] = compose.services.nginx.volumes[0]?.split(':') ?? []
    expect(await read(file)).toContain('server service:3000;')
  })
})
