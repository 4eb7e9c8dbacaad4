import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { foreignTargetsOf } from '@grantkit/test-servers/foreign-addresses'
import { freePort } from '@grantkit/test-servers/free-port'
import { type Browser, testClient } from '@grantkit/testkit/client'
import { describe, expect, it, onTestFinished } from 'vitest'

/** Tests of the notes API of the examples by a client, a browser and a reader; the same for each framework. */

const SHARED = [{ author: 'alice', text: 'Curiouser and curiouser', shared: true }]

/** Runs a program as a reader would, until the test ends. */
async function run(file: string): Promise<string> {
  const port = await freePort()
  const program = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, PORT: `${port}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void program.kill())
  await Promise.race([once(program.stdout, 'data'), once(program, 'close')])
  return `http://127.0.0.1:${port}`
}

const form = (fields: Record<string, string>, cookie = '') => ({
  method: 'POST',
  body: new URLSearchParams(fields),
  headers: { cookie },
  redirect: 'manual' as const,
})

const json = (body: unknown, headers: Record<string, string> = {}) => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
})

async function answerOf<T>(url: string, init: RequestInit = {}): Promise<T> {
  return (await fetch(url, init)).json() as Promise<T>
}

const cookieOf = ({ headers }: Response) => headers.getSetCookie()[0]?.split(';')[0] ?? ''

/** The old behaviour of the program is unchanged. */
async function expectTheOldRoutes(base: string): Promise<void> {
  expect(await answerOf(`${base}/notes`)).toEqual(SHARED)
  expect((await fetch(`${base}/notes`, json({ text: 'x' }))).status).toBe(401)
  expect((await fetch(`${base}/login`, form({ user: 'alice', password: 'x' }))).status).toBe(403)
  const cookie = cookieOf(await fetch(`${base}/login`, form({ user: 'alice', password: 'wonderland' })))
  const written = await answerOf(`${base}/notes`, json({ text: 'Mine' }, { cookie }))
  expect(written).toEqual({ author: 'alice', text: 'Mine', shared: false })
  expect(await answerOf(`${base}/notes`, { headers: { cookie } })).toEqual([...SHARED, written])
  expect(await answerOf(`${base}/notes`)).toEqual(SHARED)
}

/** A browser that signs in and comes back. Its user approves only reading. */
function signingInAt(base: string): Browser {
  return async (request) => {
    const toSignIn = await fetch(request, { redirect: 'manual' })
    const login = new URL(toSignIn.headers.get('location') ?? '', base)
    const signedIn = await fetch(login, form({ user: 'alice', password: 'wonderland' }))
    const cookie = cookieOf(signedIn)
    const back = new URL(signedIn.headers.get('location') ?? '', base)
    const page = await (await fetch(back, { headers: { cookie } })).text()
    expect(page).toContain('A &lt;client>')
    const [, action = '', ticket = ''] = /action="([^"]+)".*name="ticket" value="([^"]+)"/.exec(page) ?? []
    const consent = new URL(action.replaceAll('&amp;', '&'), base)
    const approved = await fetch(consent, form({ ticket, decision: 'allow', scope: 'notes:read' }, cookie))
    return new URL(approved.headers.get('location') ?? '')
  }
}

/** Tests the notes API of a folder, before and after Grantkit. */
export function describeNotesExample(name: string, folder: string): void {
  const before = join(folder, 'before.ts')
  const after = join(folder, 'after.ts')

  describe(`the example of ${name}`, () => {
    it('works before Grantkit', async () => {
      const base = await run(before)
      await expectTheOldRoutes(base)
      expect((await fetch(`${base}/.well-known/oauth-authorization-server`)).status).toBe(404)
    })

    it('lets a client act for a user after, and the old routes still answer', async () => {
      const base = await run(after)
      await expectTheOldRoutes(base)
      const metadata = { client_name: 'A <client>' }
      const app = await testClient(base, { metadata, browser: signingInAt(base) })
      const { access_token } = await app.tokens('notes:read notes:write')
      const authorization = `Bearer ${access_token}`
      const notes = await answerOf(`${base}/notes`, { headers: { authorization } })
      expect(notes, 'with the private one of the user').toHaveLength(2)
      const refused = await fetch(`${base}/notes`, json({ text: 'x' }, { authorization }))
      expect([refused.status, await refused.json()]).toMatchObject([403, { error: 'insufficient_scope' }])
      const unknown = { headers: { authorization: 'Bearer gka_unknown' } }
      expect((await fetch(`${base}/notes`, unknown)).status).toBe(401)
    })

    it.each([
      ['before', before],
      ['after', after],
    ])('never redirects to another site after the sign-in: %s', async (_, program) => {
      expect(await foreignTargetsOf(`${await run(program)}/login`)).toEqual([])
    })

    it('takes less than 45 added lines', () => {
      const given = ['diff', '--no-index', '--numstat', before, after]
      const [added = ''] = spawnSync('git', given, { encoding: 'utf8' }).stdout.split('\t')
      expect(Number(added)).toBeGreaterThan(0)
      expect(Number(added)).toBeLessThan(45)
    })
  })
}
