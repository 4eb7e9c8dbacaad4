import { freePort } from '@grantkit/test-servers/free-port'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newStorage } from '../new-storage.ts'
import { run } from '../program.ts'
import { type RunningService, runService } from '../service.ts'
import { user } from '../user.ts'
import { isThere } from './needed.ts'
import { installProgram, type ProgramOfPage, startProgram } from './program-of-page.ts'
import { PAGES, type Section, sectionsOf } from './sections.ts'
import { visitor } from './visitor.ts'

/** The programs of docs/clients, as they stand there, with the libraries from their registries. */

describe.each(PAGES)('docs/clients/%s.md', (page) => {
  it.skipIf(!isThere(page)).each(sectionsOf(page).map((section) => [section.library, section] as const))(
    '%s signs a user in, reads the ID token, asks UserInfo and refreshes',
    async (_library, section) => {
      const { service, program, client } = await runSection(section)
      const answer = await signIn(program, service)
      expect(answer, program.output()).toMatchObject({ sub: 'demo-account', name: 'Dana Moore' })
      expect(eventsOf(service, client)).toEqual(['consent_granted', 'code_redeemed', 'refresh_token_rotated'])
    },
    600_000,
  )
})

async function runSection(section: Section) {
  const folder = await installProgram(section)
  const { environment, close } = await newStorage()
  onTestFinished(close)
  const service = await runService({ ...environment, ...section.settings })
  onTestFinished(service.close)
  const PORT = `${await freePort()}`
  const { client_id, client_secret = '' } = await register(section, PORT, environment)
  const program = await startProgram(section, folder, {
    PORT,
    ISSUER: service.baseUrl,
    CLIENT_ID: client_id,
    CLIENT_SECRET: client_secret,
    APPLICATION_PORT: `${await freePort()}`,
  })
  onTestFinished(program.close)
  return { service, program, client: client_id }
}

/** Runs the command line of the page, for the port of the test. */
async function register({ register }: Section, port: string, environment: Record<string, string>) {
  const [, given = ''] = /pnpm@12 integration (.+)/.exec(register) ?? []
  const words = given.replaceAll(':5000', `:${port}`).split(' ')
  const command = run('commands/integration.ts', [...words, '--json'], { environment })
  expect(await command.ended, command.output()).toBe(0)
  const [printed = ''] = /^\{[\s\S]*^\}/m.exec(command.output()) ?? []
  return JSON.parse(printed) as { client_id: string; client_secret?: string }
}

/** @returns what the program shows who has signed in */
async function signIn({ url }: ProgramOfPage, service: RunningService): Promise<unknown> {
  const visit = visitor(url)
  const { headers, body } = await visit(url)
  if (headers.location === undefined) throw new Error(`It sends nobody to the service, and shows: ${body}`)
  const callback = await user(service.baseUrl)(headers.location)
  const shown = (await visit(callback.href)).body
  return shown.startsWith('{') ? JSON.parse(shown) : shown
}

function eventsOf({ events }: RunningService, client: string): string[] {
  return events.filter((event) => 'clientId' in event && event.clientId === client).map(({ type }) => type)
}
