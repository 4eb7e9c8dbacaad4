import { openDatabase } from '@grantkit/server/database'
import { freePort } from '@grantkit/test-servers/free-port'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { schoolConfig } from '../src/config.ts'
import { openSchoolStorage } from '../src/service.ts'
import { runCommand } from './command.ts'
import { onEachDatabase } from './on-each-database.ts'
import { type PreviousRelease, previousRelease } from './previous-release.ts'
import { run } from './program.ts'
import { type SignedIn, signedIn } from './tokens.ts'

/** Two neighbouring releases on one database and store, of which the older one starts and restarts. */

let previous: PreviousRelease
beforeAll(async () => {
  previous = await previousRelease()
}, 60_000)
afterAll(() => previous.remove())

const SECRET = 'the same in both releases, and long enough'

onEachDatabase((newDatabase) => {
  /** Starts a release, and stops it after `work`. */
  async function during<T>(
    DATABASE_URL: string,
    release: string | undefined,
    work: (base: string) => Promise<T>,
  ) {
    const environment = { DATABASE_URL, PORT: `${await freePort()}`, SECRET, LOG_LEVEL: 'silent' }
    const program = run('main.ts', [], { environment, ...(release && { release }) })
    onTestFinished(() => program.stop())
    await program.printed('Try next')
    const result = await work(`http://127.0.0.1:${environment.PORT}`)
    program.stop()
    expect(await program.ended, program.output()).toBe(0)
    return result
  }

  async function refreshed(base: string, { client_id, refresh_token }: SignedIn) {
    const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token })
    const response = await fetch(`${base}/api/oauth/token`, { method: 'POST', body })
    expect(response.status).toBe(200)
    return { client_id, ...((await response.json()) as object) } as SignedIn
  }

  async function coursesOf(base: string) {
    return ((await (await fetch(`${base}/api/courses`)).json()) as { total: number }).total
  }

  it('a database of this release can be used by the previous one, which may restart', async () => {
    const url = await newDatabase()
    let app = await during(url, undefined, (base) => signedIn(base, 'courses:read'))
    for (const release of [previous.folder, previous.folder, undefined])
      app = await during(url, release, async (base) => {
        await signedIn(base, 'courses:read')
        expect(await coursesOf(base)).toBe(5)
        return refreshed(base, app)
      })
  })

  it('a database of the previous release can be used by it again after this one has migrated it', async () => {
    const url = await newDatabase()
    let app = await during(url, previous.folder, (base) => signedIn(base, 'courses:read'))
    for (const release of [undefined, previous.folder, undefined])
      app = await during(url, release, async (base) => {
        await signedIn(base, 'courses:read')
        expect(await coursesOf(base)).toBe(5)
        return refreshed(base, app)
      })
  })

  it('the previous release takes the newest secret of a client, and keeps the older one for this release', async () => {
    const environment = { DATABASE_URL: await newDatabase(), SECRET }
    async function printedBy(...words: string[]) {
      const { status, output } = await runCommand([...words, '--json'], environment)
      expect(status, output).toBe(0)
      // With Postgres it warns, too.
      return JSON.parse(/\{[\s\S]*\}/.exec(output)?.[0] ?? '')
    }
    const takes = (base: string, client_id: string, secret: string) =>
      fetch(`${base}/api/oauth/introspect`, {
        method: 'POST',
        body: new URLSearchParams({ token: 'x', client_id, client_secret: secret }),
      }).then(({ ok }) => ok)
    expect(await runCommand(['migrate'], environment)).toMatchObject({ status: 0 })
    const zap = ['--name', 'Zap', '--redirect-uri', 'https://zap.example/cb']
    const { client_id, client_secret: older } = await printedBy('clients', 'add', ...zap)
    const { client_secret: newest } = await printedBy('clients', 'rotate', client_id)
    for (const [release, expected] of [
      [undefined, true],
      [previous.folder, false],
      [undefined, true],
    ] as const)
      await during(environment.DATABASE_URL, release, async (base) =>
        expect([await takes(base, client_id, older), await takes(base, client_id, newest)]).toEqual([
          expected,
          true,
        ]),
      )
  })

  it('the previous release adds no demo school to a production database of this one', async () => {
    const url = await newDatabase()
    const config = { ...schoolConfig({ DATABASE_URL: url, SECRET }), mode: 'production' as const }
    await (await openSchoolStorage(config, () => {})).close()
    const environment = { DATABASE_URL: url }
    const migrating = run('commands/database.ts', ['migrate'], { environment, release: previous.folder })
    expect(await migrating.ended, migrating.output()).toBe(0)
    const database = await openDatabase(url, () => {})
    onTestFinished(() => database.destroy())
    expect((await sql`select * from school_record`.execute(database)).rows).toEqual([])
  })
})
