import dns from 'node:dns'
import { inspect } from 'node:util'
import { freePort } from '@grantkit/test-servers/free-port'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { connectToPostgres, settingsWarnings } from '../src/index.ts'
import { startWire } from './wire.ts'

let server: PostgresServer
let pool: Pool
beforeAll(async () => {
  server = await startPostgres()
  pool = await connectToPostgres(server.url)
})
afterAll(async () => {
  await pool.end()
  await server.close()
})

type Found = (error: null, addresses: readonly object[]) => void

describe('connectToPostgres', () => {
  it('fails at once when no server answers, and does not repeat the password', async () => {
    const url = `postgres://someone:secret@127.0.0.1:${await freePort()}/postgres`
    const refused = await connectToPostgres(url).catch((error: Error) => error)
    expect(String(refused)).toMatch(/cannot be reached: .*ECONNREFUSED/)
    expect(inspect(refused, { depth: 10 })).not.toContain('secret')
  })

  it('gives a reason when it fails at every address of a name', async () => {
    const everywhere = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }))
    const lookup = vi
      .spyOn(dns, 'lookup')
      .mockImplementation(((_: string, __: object, found: Found) =>
        found(null, everywhere)) as typeof dns.lookup)
    onTestFinished(() => lookup.mockRestore())
    const url = `postgres://someone@db.example:${await freePort()}/postgres`
    await expect(connectToPostgres(url)).rejects.toThrow(/cannot be reached: .*ECONNREFUSED/)
  })

  it('leads to the primary alone', async () => {
    await pool.query('CREATE DATABASE replica')
    await pool.query('ALTER DATABASE replica SET default_transaction_read_only = on')
    const url = server.url.replace(/postgres$/, 'replica')
    await expect(connectToPostgres(url)).rejects.toThrow('may be a replica')
  })

  it('leads to an engine that has neither its time limits nor a setting for replicas', async () => {
    const wire = await startWire(server.port)
    const lacking = { code: '42704', executed: false }
    wire.fault = (sent) => (/statement_timeout|transaction_read_only/.test(sent) ? lacking : undefined)
    const engine = await connectToPostgres(server.url.replace(`${server.port}`, `${wire.port}`))
    expect((await engine.query('SELECT 1')).rowCount).toBe(1)
    await engine.end()
    await wire.close()
  })

  it('keeps the options of the environment together with its time limits', async () => {
    vi.stubEnv('PGOPTIONS', '-c search_path=own -c lock_timeout=300')
    onTestFinished(() => void vi.unstubAllEnvs())
    const own = await connectToPostgres(server.url)
    onTestFinished(() => own.end())
    const names = ['lock_timeout', 'search_path', 'statement_timeout']
    const { rows } = await own.query('SELECT setting FROM pg_settings WHERE name = ANY($1) ORDER BY name', [
      names,
    ])
    expect(rows.map(({ setting }) => setting)).toEqual(['300', 'own', '1000'])
  })

  it('asks for the password of each new connection, and recovers from one that is refused', async () => {
    await pool.query(`CREATE ROLE rotating LOGIN PASSWORD 'first'`)
    await pool.query(`DO $$ BEGIN
      EXECUTE format('COPY (VALUES (''host all rotating all scram-sha-256''), (''host all all all trust'')) TO %L',
        current_setting('hba_file')); END $$`)
    await pool.query('SELECT pg_reload_conf()')
    let current = 'first'
    const url = server.url.replace('postgres@', 'rotating@')
    await expect
      .poll(() => connectToPostgres(url, { password: () => 'wrong' }).then((open) => open.end(), String))
      .toContain('password authentication failed')
    const own = await connectToPostgres(url, { max: 1, password: async () => current })
    onTestFinished(() => own.end())
    await pool.query(`ALTER ROLE rotating PASSWORD 'second'`)
    expect((await own.query('SELECT 1')).rowCount, 'a connection outlives its password').toBe(1)
    await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'rotating'`)
    await expect.poll(() => own.query('SELECT 1').catch(String)).toContain('password authentication failed')
    current = 'second'
    expect((await own.query('SELECT 1')).rowCount).toBe(1)
  })

  it('reports a broken idle connection, and continues', async () => {
    const broken: Error[] = []
    const other = await connectToPostgres(server.url, { onError: (error) => broken.push(error) })
    await pool.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()')
    await expect.poll(() => broken.length).toBeGreaterThan(0)
    expect((await other.query('SELECT 1')).rowCount).toBe(1)
    await other.end()
  })
})

describe('settingsWarnings', () => {
  it('has no warning for a server as it comes', async () => {
    expect(await settingsWarnings(pool)).toEqual([])
  })

  it('warns of what loses records', async () => {
    const careless = ['fsync', 'full_page_writes', 'synchronous_commit']
    await changeSettings(careless.map((name) => `ALTER SYSTEM SET ${name} = off`))
    await expect
      .poll(() => settingsWarnings(pool))
      .toEqual(careless.map((name) => expect.stringMatching(`^${name} is off`)))
    await changeSettings(['ALTER SYSTEM RESET ALL'])
  })
})

async function changeSettings(commands: readonly string[]): Promise<void> {
  for (const command of commands) await pool.query(command)
  await pool.query('SELECT pg_reload_conf()')
}
