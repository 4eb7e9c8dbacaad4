import { freePort } from '@grantkit/test-servers/free-port'
import type { UserAnswer } from '@grantkit/testkit/client'
import { vi } from 'vitest'
import { newStorage } from '../new-storage.ts'
import { run } from '../program.ts'
import { runService } from '../service.ts'
import { user } from '../user.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { installProgram, startProgramOfPage } from './program-of-page.ts'
import type { Section } from './sections.ts'
import { visitor } from './visitor.ts'

/** Without debug information cargo is done in two thirds of the time. */
const CARGO_COMPILES_FASTER = { CARGO_PROFILE_DEV_DEBUG: '0' }

/** Only this log says why a sign-in in Spring Security failed. */
const SPRING_PRINTS_ERRORS = { LOGGING_LEVEL_ORG_SPRINGFRAMEWORK_SECURITY: 'TRACE' }

/** In milliseconds, with a second more. */
const CODE_LIFETIME = 61_000

/** A program of docs/clients with a service of its own. */
export interface TriedProgram {
  /** @returns what the program shows, and what the service did with it, by type of event */
  signIn(answer?: UserAnswer): Promise<{ readonly shown: string; readonly events: readonly string[] }>
  /** Like `signIn`, with an ID token for another client. */
  signInSpoilt(): ReturnType<TriedProgram['signIn']>
  /**
   * Like `signIn`, with a code that expires before the program redeems it.
   *
   * @returns what the program shows and prints, and the verdict of the service on the reference in it
   */
  signInTooLate(): Promise<{ readonly shown: string; readonly verdict: string | undefined }>
  /** What the program has printed. */
  output(): string
  close(): Promise<void>
}

/** @param page the program as its page has it, where what is tried differs from that */
export async function tryProgram(section: Section, page = section): Promise<TriedProgram> {
  const folder = await installProgram(page)
  const storage = await newStorage()
  const port = await freePort()
  const proxy = await startFaultyProxy(port)
  const settings = { PORT: `${port}`, BASE_URL: proxy.url, ...section.settings }
  const service = await runService({ ...storage.environment, ...settings })
  const [PORT, APPLICATION_PORT] = [`${await freePort()}`, `${await freePort()}`]
  const { client_id, client_secret } = await register(section, PORT, storage.environment)
  const credentials = { ISSUER: proxy.url, CLIENT_ID: client_id, CLIENT_SECRET: client_secret }
  const variables = {
    PORT,
    APPLICATION_PORT,
    ...credentials,
    ...SPRING_PRINTS_ERRORS,
    ...CARGO_COMPILES_FASTER,
  }
  const program = await startProgramOfPage(section, folder, variables)

  async function allowed(answer?: UserAnswer) {
    const visit = visitor(program.url)
    const { headers, body } = await visit(program.url)
    if (headers.location === undefined)
      throw new Error(`It redirects no user to the service, and shows: ${body}`)
    const callback = await user(proxy.url)(headers.location, answer)
    return async () => (await visit(callback.href)).body
  }

  async function signIn(answer?: UserAnswer) {
    const before = service.events.length
    const shown = await (await allowed(answer))()
    return { shown, events: service.events.slice(before).map(({ type }) => type) }
  }

  return {
    signIn,
    async signInSpoilt() {
      proxy.spoils = true
      return signIn().finally(() => {
        proxy.spoils = false
      })
    },
    async signInTooLate() {
      const before = program.output().length
      const goOn = await allowed()
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + CODE_LIFETIME })
      try {
        const shown = `${await goOn()}\n${program.output().slice(before)}`
        const [, reference = ''] = /\(ref ([\w-]+)\)/.exec(shown) ?? []
        return { shown, verdict: (await service.attempts.find(reference))?.verdict.id }
      } finally {
        vi.useRealTimers()
      }
    },
    output: program.output,
    async close() {
      for (const part of [program, service, proxy, storage]) await part.close()
    },
  }
}

/** Runs the command line of the page, for the port of the test. */
async function register({ register }: Section, port: string, environment: Record<string, string>) {
  const [, args = ''] = /pnpm@12 grantkit clients (.+)/.exec(register) ?? []
  const words = args.replaceAll(':5000', `:${port}`).split(' ')
  const command = run('cli.ts clients', [...words, '--json'], { environment })
  if ((await command.ended) !== 0) throw new Error(command.output())
  const [printed = ''] = /^\{[\s\S]*^\}/m.exec(command.output()) ?? []
  return JSON.parse(printed) as { readonly client_id: string; readonly client_secret: string }
}
