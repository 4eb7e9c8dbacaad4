import type { Adapter } from 'oidc-provider'
import pg from 'pg'
import { startPostgres } from '../../../packages/test-servers/src/postgres-server.ts'
import { onGeneratorCore } from '../src/machine.ts'
import { authorizationRequest, get } from '../src/requests.ts'
import type { StartTarget } from '../src/workloads.ts'
import { actionOf, Browser } from './browser.ts'
import { NATIVE, startProvider } from './oidc-provider.ts'

/** oidc-provider with records in its own Postgres, and the consent page that it has for development. */
export const start: StartTarget = async (port) => {
  const { url, close } = await onGeneratorCore(() => startPostgres())
  const pool = new pg.Pool({ connectionString: url })
  // Its server ends before it does.
  pool.on('error', () => {})
  await pool.query(TABLE)
  const { workloads } = await startProvider(port, {
    adapter: (model) => createAdapter(pool, model),
    pages: true,
  })
  const page = await consentPage(`http://127.0.0.1:${port}`)
  return { workloads: { ...workloads, consent: (count) => Array<string>(count).fill(page) }, close }
}

/** A user signs in. @returns the request of their browser for the consent page */
async function consentPage(origin: string): Promise<string> {
  const browser = new Browser(origin)
  const address = `/auth?${new URLSearchParams(authorizationRequest(NATIVE.client_id))}`
  const page = await browser.follow(address)
  const signedIn = { prompt: 'login', login: 'alice', password: 'any' }
  const next = await browser.follow(actionOf(page.text), signedIn)
  if (!next.text.includes('value="consent"')) throw new Error('This is no consent page')
  return get(address, { cookie: browser.cookie })
}

/** One table, one row for each record, as its documentation suggests for SQL. */
const TABLE = `CREATE TABLE record (
  model text, id text, payload jsonb NOT NULL, expires_at timestamptz, grant_id text, uid text, PRIMARY KEY (model, id));
CREATE INDEX ON record (grant_id); CREATE INDEX ON record (model, uid)`

function createAdapter(pool: pg.Pool, model: string): Adapter {
  const find = async (condition: string, value: string) => {
    const sql = `SELECT payload FROM record WHERE model = $1 AND ${condition} = $2 AND (expires_at IS NULL OR expires_at > now())`
    return (await pool.query({ name: `find ${condition}`, text: sql, values: [model, value] })).rows[0]
      ?.payload
  }
  const change = async (name: string, text: string, values: unknown[]) =>
    void (await pool.query({ name, text, values }))
  return {
    find: (id) => find('id', id),
    findByUid: (uid) => find('uid', uid),
    findByUserCode: async () => undefined,
    upsert: (id, payload, expiresIn) =>
      change(
        'upsert',
        `INSERT INTO record VALUES ($1, $2, $3, now() + make_interval(secs => $4), $5, $6)
         ON CONFLICT (model, id) DO UPDATE SET payload = $3, expires_at = excluded.expires_at, grant_id = $5, uid = $6`,
        [model, id, payload, expiresIn, payload.grantId, payload.uid],
      ),
    consume: (id) => change('consume', CONSUME, [model, id, Math.floor(Date.now() / 1000)]),
    destroy: (id) => change('destroy', 'DELETE FROM record WHERE model = $1 AND id = $2', [model, id]),
    revokeByGrantId: (grantId) => change('revoke', 'DELETE FROM record WHERE grant_id = $1', [grantId]),
  }
}

const CONSUME = `UPDATE record SET payload = jsonb_set(payload, '{consumed}', to_jsonb($3::bigint)) WHERE model = $1 AND id = $2`
