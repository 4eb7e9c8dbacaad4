import { openDatabase } from '@grantkit/server/database'
import { freePort } from '@grantkit/test-servers/free-port'
import { startPgBouncer } from '@grantkit/test-servers/pgbouncer'
import { startPostgres } from '@grantkit/test-servers/postgres-server'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runCommand } from './command.ts'
import { connected, onEachDatabase } from './on-each-database.ts'
import { run } from './program.ts'
import { signedIn } from './tokens.ts'

onEachDatabase((newDatabase) => {
  it('is migrated once, even if several processes start at the same time', async () => {
    const environment = { DATABASE_URL: await newDatabase() }
    const programs = Array.from({ length: 4 }, () => run('cli.ts migrate', [], { environment }))
    for (const program of programs) expect(await program.ended, program.output()).toBe(0)
    const said = programs.map((program) => program.output()).sort()
    expect(said[0]).toMatch(/^Carried out: 0001_school, /)
    // On Postgres, a warning about the settings of the test server follows.
    for (const text of said.slice(1)) expect(text).toMatch(/^The tables were up to date\.\n/)
  })

  it('is prepared once with its store, and shared, by three services that start at the same time', async () => {
    const DATABASE_URL = await newDatabase()
    const services = await Promise.all(Array.from({ length: 3 }, () => started({ DATABASE_URL })))
    for (const { base } of services) {
      const { total } = (await (await fetch(`${base}/api/courses`)).json()) as { total: number }
      expect(total).toBe(5)
    }
    const [first, second, third] = services
    const { access_token } = await signedIn(first?.base ?? '', 'courses:read courses:write')
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ title: 'Knots' })
    const added = await fetch(`${first?.base}/api/courses`, { method: 'POST', headers, body })
    const path = added.headers.get('location')
    for (const replica of [second, third])
      expect((await fetch(`${replica?.base}${path}`, { headers })).status).toBe(200)
  })

  it('is not touched by a service whose store is older than its tables', async () => {
    const url = await newDatabase()
    expect(await runCommand(['migrate'], { DATABASE_URL: url })).toMatchObject({ status: 0 })
    const store = await openDatabase(url.replace('.sqlite', '-grants.sqlite'), () => {})
    const newer = store.pool ? sql`update grantkit_schema set version = 99` : sql`pragma user_version = 99`
    await newer.execute(store)
    await store.destroy()
    const program = run('main.ts', [], { environment: { DATABASE_URL: url, PORT: String(await freePort()) } })
    expect(await program.ended).toBe(1)
    expect(program.output()).toMatch(/STORE_URL: .*99.*newer release/)
    expect(program.output()).toContain('Install the newer release, then run "pnpm grantkit migrate"')
    expect(program.output()).not.toContain('npm install')
  })

  it.each([
    ['account', sql`create table account (colour integer)`, /account.* already exists.*another database/],
    [
      'kysely_migration',
      sql`create table kysely_migration as select '2024_init' as name, '' as timestamp`,
      /2024_init: name another database/,
    ],
  ])('is not changed if another program has a table %s', async (table, statement, problem) => {
    const DATABASE_URL = await newDatabase()
    const database = await openDatabase(DATABASE_URL, () => {})
    onTestFinished(() => database.destroy())
    await statement.execute(database)
    const { status, output } = await runCommand(['migrate'], { DATABASE_URL })
    expect([status, output]).toEqual([1, expect.stringMatching(`DATABASE_URL: .*${problem.source}`)])
    const tables = await database.introspection.getTables({ withInternalKyselyTables: true })
    expect(tables.map(({ name }) => name)).toEqual([table])
  })

  it('is usable by a release that lacks a migration that only adds', async () => {
    const url = await newDatabase()
    await recordNewer(url, 1)
    const service = await started({ DATABASE_URL: url })
    expect((await signedIn(service.base, 'courses:read')).access_token).toMatch(/^gka_/)
  })

  it('is rejected unchanged by a release that lacks a migration that drops something', async () => {
    const environment = { DATABASE_URL: await newDatabase() }
    await recordNewer(environment.DATABASE_URL, 99)
    const program = run('main.ts', [], { environment: { ...environment, PORT: String(await freePort()) } })
    for (const { status, output } of [
      { status: await program.ended, output: program.output() },
      await runCommand(['migrate'], environment),
      await runCommand(['users', 'list'], environment),
    ]) {
      expect(status).toBe(1)
      expect(output).toContain('its tables need a newer release: 9999_next_year changed them')
      expect(output).toContain('Install the newer release, then run "pnpm grantkit migrate"')
    }
  })

  it.each([
    ['users', 'list'],
    ['trail', 'list'],
    ['grants', 'list', 'ada@school.example'],
  ])('is not changed by %s %s, which says what to run', async (...words) => {
    const url = await newDatabase()
    const { status, output } = await runCommand(words, { DATABASE_URL: url, STORE_URL: url })
    expect(status).toBe(1)
    expect(output).toMatch(/DATABASE_URL: .* no tables.*Run "pnpm grantkit migrate"/)
    const database = await openDatabase(url, () => {})
    onTestFinished(() => database.destroy())
    expect(await database.introspection.getTables()).toEqual([])
  })
})

it('a role without the right to create tables gets an error with the command to run, and works after that', async () => {
  const server = await startPostgres('fsync=off')
  onTestFinished(() => server.close())
  const owner = await openDatabase(server.url, () => {})
  onTestFinished(() => owner.destroy())
  await sql`create role school login`.execute(owner)
  const environment = {
    DATABASE_URL: server.url.replace('postgres@', 'school@'),
    PORT: String(await freePort()),
  }
  const program = run('main.ts', [], { environment })
  expect(await program.ended).toBe(1)
  expect(program.output()).toMatch(/DATABASE_URL: permission denied.*"pnpm grantkit migrate"/)
  const STORE_URL = environment.DATABASE_URL
  const store = run('main.ts', [], { environment: { STORE_URL, PORT: environment.PORT } })
  expect(await store.ended).toBe(1)
  expect(store.output()).toMatch(/STORE_URL: permission denied.*"pnpm grantkit migrate"/)

  const migrated = await runCommand(['migrate'], { DATABASE_URL: server.url })
  expect(migrated).toMatchObject({ status: 0 })
  await sql`grant select, insert, update, delete on all tables in schema public to school`.execute(owner)
  const service = await started(environment)
  expect((await signedIn(service.base, 'courses:read')).access_token).toMatch(/^gka_/)
})

it('is migrated through a PgBouncer in transaction mode, which has no sessions', async () => {
  const server = await startPostgres('fsync=off')
  const bouncer = await startPgBouncer(server.port)
  onTestFinished(async () => {
    await bouncer.close()
    await server.close()
  })
  const environment = { DATABASE_URL: bouncer.url }
  for (const programs of [3, 1]) {
    const migrating = Array.from({ length: programs }, () => run('cli.ts migrate', [], { environment }))
    for (const program of migrating) expect(await program.ended, program.output()).toBe(0)
  }
  const database = await openDatabase(server.url, () => {})
  onTestFinished(() => database.destroy())
  const locks = await sql`select 1 from pg_locks where locktype = 'advisory'`.execute(database)
  expect(locks.rows).toEqual([])
})

/** As the next release would, by a migration that this one does not know. */
async function recordNewer(url: string, needs: number): Promise<void> {
  const database = await connected(url)
  await sql`insert into school_migration (name, needs) values ('9999_next_year', ${needs})`.execute(database)
}

/** The service in a process of its own, until the test ends. */
async function started(environment: Record<string, string>) {
  const PORT = String(await freePort())
  const program = run('main.ts', [], { environment: { PORT, ...environment } })
  onTestFinished(() => program.stop())
  await program.printed('Try next')
  return { base: `http://127.0.0.1:${environment.PORT ?? PORT}` }
}

describe('a database or store that cannot be used', async () => {
  const closed = await freePort()
  const secret = 'correct-horse'

  it.each([
    ['DATABASE_URL', `postgres://school:${secret}@127.0.0.1:${closed}/school`, 'ECONNREFUSED'],
    ['DATABASE_URL', 'sqlite:/dev/null/school.sqlite', 'file already exists'],
    ['STORE_URL', `postgres://school:${secret}@127.0.0.1:${closed}/school`, 'ECONNREFUSED'],
    ['STORE_URL', `redis://school:${secret}@127.0.0.1:${closed}`, 'ECONNREFUSED'],
    ['STORE_URL', 'sqlite:/dev/null/grants.sqlite', 'file already exists'],
  ])('is named by %s, without its password: %s', async (setting, url, reason) => {
    const { status, output } = await runCommand(['migrate'], { [setting]: url })
    expect([status, output]).toEqual([1, expect.stringContaining(`Not migrated. ${setting}: `)])
    expect(output).toContain(reason)
    expect(output).not.toContain(secret)
    expect(output).not.toContain('    at ')
  })

  it('stops the start, which says why', async () => {
    const DATABASE_URL = `postgres://school:${secret}@127.0.0.1:${closed}/school`
    const program = run('main.ts', [], { environment: { DATABASE_URL, PORT: String(await freePort()) } })
    expect(await program.ended).toBe(1)
    expect(program.output()).toMatch(/The service could not start: DATABASE_URL: .*ECONNREFUSED/)
    expect(program.output()).not.toContain(secret)
    expect(program.output()).not.toContain('    at ')
  })
})
