import { freePort } from '@grantkit/test-servers/free-port'
import type { UserAnswer } from '@grantkit/testkit/client'
import { newStorage } from '../new-storage.ts'
import { run } from '../program.ts'
import { runService } from '../service.ts'
import { user } from '../user.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { installProgram, startProgramOfPage } from './program-of-page.ts'
import type { Section } from './sections.ts'
import { visitor } from './visitor.ts'

/** A program of docs/clients with a service of its own. */
export interface TriedProgram {
  /** @returns what the program shows, and what the service did with it, by type of event */
  signIn(answer?: UserAnswer): Promise<{ readonly shown: string; readonly events: readonly string[] }>
  /** Like `signIn`, with an ID token for another client. */
  signInSpoilt(): ReturnType<TriedProgram['signIn']>
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
  const program = await startProgramOfPage(section, folder, { PORT, APPLICATION_PORT, ...credentials })

  async function signIn(answer?: UserAnswer) {
    const before = service.events.length
    const visit = visitor(program.url)
    const { headers, body } = await visit(program.url)
    if (headers.location === undefined) throw new Error(`It sends nobody to the service, and shows: ${body}`)
    const callback = await user(proxy.url)(headers.location, answer)
    const shown = (await visit(callback.href)).body
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
    output: program.output,
    async close() {
      for (const part of [program, service, proxy, storage]) await part.close()
    },
  }
}

/** Runs the command line of the page, for the port of the test. */
async function register({ register }: Section, port: string, environment: Record<string, string>) {
  const [, given = ''] = /pnpm@12 integration (.+)/.exec(register) ?? []
  const words = given.replaceAll(':5000', `:${port}`).split(' ')
  const command = run('cli.ts integration', [...words, '--json'], { environment })
  if ((await command.ended) !== 0) throw new Error(command.output())
  const [printed = ''] = /^\{[\s\S]*^\}/m.exec(command.output()) ?? []
  return JSON.parse(printed) as { readonly client_id: string; readonly client_secret: string }
}
