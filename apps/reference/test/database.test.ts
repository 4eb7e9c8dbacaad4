import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connected, onBothDatabases } from './on-both-databases.ts'
import { run } from './program.ts'
import { runService } from './service.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { signedIn } from './tokens.ts'

onBothDatabases((newDatabase) => {
  it('is brought up to date once, by however many do it at the same time', async () => {
    const environment = { DATABASE_URL: await newDatabase() }
    const programs = Array.from({ length: 4 }, () =>
      run('commands/database.ts', ['migrate'], { environment }),
    )
    for (const program of programs) expect(await program.ended, program.output()).toBe(0)
    const said = programs.map((program) => program.output()).sort()
    expect(said[0]).toMatch(/^Carried out: 0001_school, /)
    expect(said.slice(1)).toEqual(Array(3).fill('The tables were up to date.\n'))
  })

  it('is not touched by a service that is older than its tables', async () => {
    const url = await newDatabase()
    const database = await connected(url)
    const next = { name: '9999_next_year', timestamp: new Date().toISOString() }
    await database
      .withTables<{ kysely_migration: typeof next }>()
      .insertInto('kysely_migration')
      .values(next)
      .execute()
    const PORT = String(await freePort())
    for (const program of [
      run('main.ts', [], { environment: { DATABASE_URL: url, PORT } }),
      run('commands/database.ts', ['migrate'], { environment: { DATABASE_URL: url } }),
    ]) {
      expect(await program.ended).toBe(1)
      expect(program.output()).toContain('of a newer release, which made 9999_next_year')
      expect(program.output()).toContain('"git pull"')
    }
  })

  it('keeps the school over a restart and shows replicas the same, and what was removed stays away', async () => {
    const environment = { DATABASE_URL: await newDatabase() }
    const first = await runService(environment)
    const replica = await runService(environment)
    const { access_token } = await signedIn(first.baseUrl, 'courses:read courses:write')
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ title: 'Knots', published: true })
    const added = await fetch(`${first.baseUrl}/api/courses`, { method: 'POST', headers, body })
    const { id } = (await added.json()) as { id: string }
    const away = `${first.baseUrl}/api/courses/bread-at-home`
    expect((await fetch(away, { method: 'DELETE', headers })).status).toBe(204)
    expect((await fetch(`${replica.baseUrl}/api/courses/${id}`)).status).toBe(200)
    await first.close()
    await replica.close()
    const second = await runService(environment)
    onTestFinished(() => second.close())
    const answer = await fetch(`${second.baseUrl}/api/courses`)
    const { items, total } = (await answer.json()) as { items: { id: string }[]; total: number }
    expect([total, items.at(-1)?.id]).toEqual([5, id])
    expect(items.map((item) => item.id)).not.toContain('bread-at-home')
  })
})

describe('a file of SQLite', () => {
  it('can be read by its owner alone, in a folder that is made for it', async () => {
    const path = join(await temporaryFolder(), 'new', 'service.sqlite')
    await connected(`sqlite:${path}`)
    for (const file of [path, `${path}-wal`]) expect((await stat(file)).mode & 0o777, file).toBe(0o600)
  })
})

describe('a database that is out of reach', () => {
  it('stops the start with a sentence', async () => {
    const environment = { DATABASE_URL: `postgres://127.0.0.1:${await freePort()}/school` }
    const program = run('main.ts', [], { environment })
    expect(await program.ended).toBe(1)
    expect(program.output()).toContain('The service could not start')
    expect(program.output()).toContain('ECONNREFUSED')
  })
})
