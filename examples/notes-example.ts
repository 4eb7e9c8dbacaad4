import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { foreignTargetsOf } from '@grantkit/test-servers/foreign-addresses'
import { freePort } from '@grantkit/test-servers/free-port'
import { type Browser, formBrowser, testClient } from '@grantkit/testkit/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addedLines } from './added-lines.ts'
import { copyOut } from './copy-out.ts'

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

/** Tests the notes API of a folder, before and after Grantkit. */
export function describeNotesExample(name: string, example: string): void {
  const folder = copyOut(example)
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
      const alice = formBrowser({ origin: base, typed: { user: 'alice', password: 'wonderland' } })
      const browser: Browser = (url) => alice(url, { without: ['notes:write'] })
      const app = await testClient(base, { browser })
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

    it('takes less than 40 added lines', () => {
      const added = addedLines(before, after).length
      expect(added).toBeGreaterThan(0)
      expect(added).toBeLessThan(40)
    })
  })
}
