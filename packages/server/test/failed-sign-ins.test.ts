import type { StepEvent } from '@grantkit/explain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DANA, THEO } from './people.ts'
import { type RunningServer, runServer } from './running-server.ts'
import { browserOf } from './signed-in-browser.ts'

/** The pages about failed sign-ins. */

let server: RunningServer
let clientId: string
beforeAll(async () => {
  server = await runServer()
  await server.accounts.setAdmin(DANA.id, true)
  const added = await server.clients.add({ clientName: 'A tool', redirectUris: ['http://127.0.0.1/'] })
  clientId = added.clientId
})
afterAll(() => server.close())

/** @param ago seconds */
function happen(reference: string, step: StepEvent['step'], facts: Partial<StepEvent> = {}, ago = 0): void {
  const at = Math.floor(Date.now() / 1000) - ago
  server.recording.onEvent({ type: 'step', reference, step, outcome: 'ok', at, clientId, ...facts })
}

/** An app that never redeems the code of a user. */
function neverRedeemed(reference: string): void {
  happen(reference, 'requested', { redirectUri: 'http://127.0.0.1/callback', network: '192.0.2.0/24' }, 300)
  happen(reference, 'allowed', { subject: THEO.id, grantId: 'the-grant', scopes: ['notes:read'] }, 280)
  happen(reference, 'sent_back', {}, 279)
}

const signedIn = (word: string) => browserOf(server, word)

describe('the page of a sign-in attempt', () => {
  it('says what went wrong, who can change it and how, and shows the steps with the times between them', async () => {
    neverRedeemed('AAAA0001')
    const { status, text } = await (await signedIn('demo'))('/admin/why/aaaa-0001')
    expect([status, text]).toEqual([200, expect.stringContaining('Sign-in AAAA-0001')])
    expect(text).toContain('the code never came back')
    expect(text).toContain('At fault the app')
    expect(text).toMatch(/To send to the developer of the app .* Reference AAAA-0001/)
    expect(text).toMatch(/The app requested access .* \+20 s .*The user allowed access .* \+1 s .* sent back/)
    expect(text).toContain(`A tool ${clientId}`)
    expect(text).toContain('teacher@example.com')
    expect(text).toContain('Grant the-grant')
  })

  it('has an entry in the audit trail, with the operator who looked', async () => {
    neverRedeemed('AAAA0002')
    const visit = await signedIn('demo')
    await visit('/admin/why/AAAA-0002')
    const { text } = await visit(`/admin/trail?type=attempt_read&user=${THEO.id}`)
    expect(text).toContain('admin demo@example.com')
    expect(text).toContain('AAAA-0002')
  })

  it('has one for the list of a user too, even if it is empty', async () => {
    const visit = await signedIn('demo')
    const { text: list } = await visit('/admin/why?user=without-attempts')
    expect(list).toContain('No sign-in of that kind has failed.')
    const { text } = await visit('/admin/trail?type=attempt_read&user=without-attempts')
    expect(text).toContain('admin demo@example.com')
  })

  it('says that only this process has an attempt without a user that was not refused', async () => {
    happen('BBBB0001', 'requested')
    const { text } = await (await signedIn('demo'))('/admin/why/BBBB-0001')
    expect(text).toContain('Only this process has seen this sign-in')
  })

  it('is a 404 that says so for a reference of which nothing is known', async () => {
    const visit = await signedIn('demo')
    for (const path of ['/admin/why/ZZZZ-ZZZZ', '/admin/why/x']) {
      const { status, text } = await visit(path)
      expect([status, text]).toEqual([404, expect.stringContaining('Nothing is known here')])
    }
  })

  it('does not show the attempt of an account that a command removed a moment ago', async () => {
    const ada = { ...THEO, id: 'ada-account', email: 'ada@example.com' }
    await server.accounts.add(ada)
    happen('CCCC0001', 'requested')
    happen('CCCC0001', 'allowed', { subject: ada.id })
    await server.database.updateTable('account').set({ state: 'removed' }).where('id', '=', ada.id).execute()
    expect(await (await signedIn('demo'))('/admin/why/CCCC-0001')).toMatchObject({ status: 404 })
  })
})

describe('the page of failed sign-ins', () => {
  it('counts them by verdict and client, those of the doctor apart, lists them one by one, and filters', async () => {
    for (const reference of ['DDDD0001', 'DDDD0002']) neverRedeemed(reference)
    const refused = { outcome: 'refused', reason: 'client_unknown', clientId: 'gone' } as const
    happen('DDDD0003', 'requested', refused)
    happen('DDDD0004', 'requested', { ...refused, probe: true })
    const visit = await signedIn('demo')
    const { text } = await visit('/admin/why?range=1h')
    expect(text).toMatch(/the code never came back.*? the app A tool [2-9] /)
    expect(text).toMatch(/does not exist here, or not any more\. the app gone 1 /)
    expect(text).toMatch(/does not exist here, or not any more\. probe of the doctor the app gone 1 /)
    const filtered = await visit('/admin/why?client=gone')
    expect(filtered.text).toContain('DDDD-0003')
    expect(filtered.text).not.toContain('DDDD-0002')
    expect((await visit('/admin/why?user=teacher@example.com')).text).toContain('DDDD-0002')
  })

  it('leads to an attempt by its reference, as a user copies it', async () => {
    const visit = await signedIn('demo')
    const answer = await visit(`/admin/why?reference=${encodeURIComponent('(ref aaaa-ooo1)')}`)
    expect(answer).toMatchObject({ status: 303, location: '/admin/why/(ref%20aaaa-ooo1)' })
    expect(await visit(answer.location ?? '')).toMatchObject({ status: 200 })
  })
})

describe('what everyone sees of it', () => {
  it('is one page for all references', async () => {
    neverRedeemed('EEEE0001')
    const pages = ['/why', '/why?reference=EEEE-0001'].map(async (path) => fetch(server.baseUrl + path))
    const [one, other] = await Promise.all(pages.map(async (page) => (await page).text()))
    expect(one).toContain('Give it to the operator')
    expect(other).toBe(one)
  })

  it("is on the account page, of the user's own apps and without the verdict", async () => {
    neverRedeemed('EEEE0002')
    const { text } = await (await signedIn('teacher'))('/account')
    expect(text).toMatch(/A tool , .*? The app made a mistake\. Reference: EEEE-0002/)
    expect(text).not.toContain('code')
    expect((await (await signedIn('demo'))('/account')).text).not.toContain('Sign-ins that failed')
  })

  it.each([
    ['whose access was ended', 'EEEE0003', true],
    ['with an access token that is not valid any more', 'EEEE0004', false],
  ])('is not there of an app that calls %s', async (_, reference, isEnded) => {
    const grant = { subject: DANA.id, grantId: reference }
    for (const step of ['requested', 'allowed', 'sent_back', 'code_redeemed', 'first_call'] as const)
      happen(reference, step, grant)
    if (isEnded) happen(reference, 'ended', { ...grant, by: 'client' })
    happen(reference, 'first_call', { ...grant, outcome: 'refused', reason: 'bearer_unknown' })
    const visit = await signedIn('demo')
    expect((await visit(`/admin/why/${reference}`)).text, 'the operator').toContain('At fault')
    expect((await visit('/account')).text).not.toContain('Sign-ins that failed')
  })
})
