import { runCommand } from 'citty'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { personalTokens } from '../src/commands/personal-tokens.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** What an operator does with the personal access tokens of a user, at a terminal. */

let server: RunningServer
beforeAll(async () => {
  const scopes = { 'notes:read': { description: 'Read your notes', personal: true } }
  server = await runServer({ PERSONAL_TOKENS: 'on' }, { scopes })
})
afterAll(() => server.close())

const MAIL = 'demo@example.com'

async function create(label: string) {
  const subject = (await server.accounts.idOf(MAIL)) ?? ''
  const request = { subject, label, scopes: ['notes:read'], resources: [server.baseUrl] }
  return server.personalTokens?.create(request)
}

/** @returns what it prints */
async function run(...rawArgs: string[]): Promise<string> {
  const print = vi.spyOn(console, 'log').mockImplementation(() => {})
  // It warns of files in memory.
  const warn = vi.spyOn(console, 'error').mockImplementation(() => {})
  try {
    await runCommand(
      personalTokens(async () => ({ config: server.config, definition: {} })),
      { rawArgs },
    )
    return print.mock.calls.flat().join('\n')
  } finally {
    print.mockRestore()
    warn.mockRestore()
  }
}

it('lists the tokens of a user, without their texts', async () => {
  expect(await run('list', MAIL)).toBe('There are no tokens.')
  const made = await create('Nightly \u001b[31mjob')
  const listed = await run('list', MAIL)
  expect(listed).toContain(`${made?.token.id}`)
  expect(listed).toMatch(/Nightly .*job.* ends 20\d\d-.* not used yet {2}notes:read/)
  expect(listed).not.toContain(made?.text)
  expect(listed, 'no sequence of a user steers the terminal').not.toContain('\u001b[31m')
  expect(JSON.parse(await run('list', MAIL, '--json'))).toMatchObject({ id: made?.token.id })
  await server.grants.revokeAll('demo-account', { by: 'operator' })
})

it('revokes a token, as an operator in the trail', async () => {
  const made = await create('Job')
  expect(await run('revoke', MAIL, made?.token.id ?? '')).toBe('The token has ended.')
  expect(await run('list', MAIL)).toBe('There are no tokens.')
  const { facts } = await server.database
    .selectFrom('audit')
    .select('facts')
    .where('type', '=', 'grant_revoked')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  expect(JSON.parse(facts)).toMatchObject({
    by: 'operator',
    grantId: made?.token.id,
    actor: expect.stringMatching(/^command:/),
  })
})

it('revokes nothing else: no token of another user, and no other grant', async () => {
  const made = await create('Job')
  await expect(run('revoke', 'teacher@example.com', made?.token.id ?? '')).rejects.toThrow('has no token')
  await expect(run('revoke', MAIL, 'unknown')).rejects.toThrow('This user has no token unknown.')
  expect(await run('list', MAIL)).toContain(made?.token.id)
})
