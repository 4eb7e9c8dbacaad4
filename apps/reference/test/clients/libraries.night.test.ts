import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { byBasic, namesTheForm } from './by-basic.ts'
import { isThere } from './needed.ts'
import { PAGES, sectionsOf } from './sections.ts'
import { type TriedProgram, tryProgram } from './tried-program.ts'

/** The programs of docs/clients, as they stand there, with the libraries from their registries. */

const DANA = { sub: 'demo-account', name: 'Dana Moore' }

/** They show no description of an error by themselves: it is a member of the error, or in a log file. */
const KEEPS_DESCRIPTIONS = ['openid-client', 'express-openid-connect', 'mod_auth_openidc']

for (const page of PAGES) {
  const missing = !isThere(page)

  describe.skipIf(missing).each(sectionsOf(page))(`$library of docs/clients/${page}.md`, (section) => {
    let program: TriedProgram
    beforeAll(async () => {
      program = await tryProgram(section)
    }, 600_000)
    afterAll(() => program?.close())

    it('signs a user in, reads their name and refreshes the tokens', async () => {
      const { shown, events } = await program.signIn()
      expect(parsed(shown), program.output()).toMatchObject(DANA)
      expect(events).toContain('code_redeemed')
      expect(events).toContain('refresh_token_rotated')
    })

    it('does so if the user allows less than it requests', async () => {
      const { shown, events } = await program.signIn({ without: ['courses:read'] })
      expect(parsed(shown), program.output()).toMatchObject(DANA)
      expect(events).toContain('refresh_token_rotated')
    })

    it('rejects an ID token for another client', async () => {
      const { shown, events } = await program.signInSpoilt()
      expect(shown).not.toContain(DANA.sub)
      expect(events).toContain('code_redeemed')
      expect(parsed((await program.signIn()).shown)).toMatchObject(DANA)
    })

    if (!KEEPS_DESCRIPTIONS.includes(section.library))
      it('shows the error of a failed sign-in, with the reference that explains it', async () => {
        const { shown, verdict } = await program.signInTooLate()
        expect(shown).toMatch(/The authorization code has expired\..* \(ref \w{4}-\w{4}/)
        expect(verdict).toBe('code_expired')
      })
  })

  it.skipIf(missing).for(sectionsOf(page).filter(namesTheForm))(
    `$library of docs/clients/${page}.md may send its secret by Basic`,
    {
      timeout: 600_000,
    },
    async (section) => {
      const program = await tryProgram(byBasic(section), section)
      onTestFinished(program.close)
      const { shown, events } = await program.signIn()
      expect(parsed(shown), program.output()).toMatchObject(DANA)
      expect(events).toContain('refresh_token_rotated')
    },
  )
}

function parsed(shown: string): unknown {
  return shown.startsWith('{') ? JSON.parse(shown) : shown
}
