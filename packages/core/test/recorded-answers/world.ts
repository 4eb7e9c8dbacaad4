import {
  type AuthorizationServer,
  createResourceServer,
  type HttpResponse,
  type ResourceServerOptions,
  type ServerEvent,
} from '@grantkit/core'
import { type Cast, registerCast } from './cast.ts'
import type { Ask } from './requests.ts'
import { type Ground, ISSUER, newGround, openServer, SCOPES, type Settings } from './server.ts'
import { accessLines, answerLines, exchangeText } from './transcript.ts'

/** The setting of a story: its own server, with clients, on a clock that the story moves. */
export interface World {
  readonly cast: Cast
  readonly ground: Ground
  readonly server: AuthorizationServer
  /** Sends a request, and records it with its answer. */
  ask(ask: Ask): Promise<HttpResponse>
  /** Sends a preparing request, without recording it. */
  askUnrecorded(ask: Ask): Promise<HttpResponse>
  /** Asks the guard of an API, and records its decision. */
  askGuard(ask: Ask, scopes?: readonly string[], api?: Partial<ResourceServerOptions<string>>): Promise<void>
  /** Records the result of an operator's operation, under its name. */
  note(operation: string, result: unknown): void
  /** Another server on the same ground, with only these settings. */
  reopened(settings: Settings): World
}

/** A story sends its own requests, or returns a single one to send. */
export type Story = (world: World) => Promise<unknown> | Ask
export type Stories = Readonly<Record<string, Story>>

/** One story for each row: the same request with one change. */
export function variations<Row>(
  rows: Readonly<Record<string, Row>>,
  ask: (world: World, row: Row) => Ask | Promise<Ask>,
): Stories {
  const stories = Object.entries(rows).map(([name, row]): [string, Story] => [
    name,
    async (world) => world.ask(await ask(world, row)),
  ])
  return Object.fromEntries(stories)
}

export interface Recording {
  /** Each request with its answer. */
  readonly exchanges: readonly string[]
  readonly events: readonly ServerEvent[]
}

export async function record(settings: Settings, story: Story): Promise<Recording> {
  const ground = newGround()
  const server = openServer(ground, settings)
  const tape: Tape = { exchanges: [], events: [] }
  const world = worldOf(ground, server, await registerCast(server), tape)
  const told = story(world)
  if ('method' in told) await world.ask(told)
  else await told
  return tape
}

interface Tape {
  readonly exchanges: string[]
  readonly events: ServerEvent[]
}

function worldOf(ground: Ground, server: AuthorizationServer, cast: Cast, tape: Tape): World {
  async function write<Answer>(
    ask: Ask,
    answered: () => Promise<Answer>,
    lines: (answer: Answer) => string[],
  ) {
    ground.events.length = 0
    const given = await answered()
    tape.exchanges.push(exchangeText(ask, ground.events, lines(given)))
    tape.events.push(...ground.events)
    return given
  }
  return {
    cast,
    ground,
    server,
    ask: (ask) => write(ask, () => send(server, ask), answerLines),
    askUnrecorded: (ask) => send(server, ask),
    async askGuard(ask, scopes = [], api = {}) {
      const { store, clock, events } = ground
      const onEvent = (event: ServerEvent) => void events.push(event)
      const now = () => clock.now
      const guard = createResourceServer<string>({
        resource: ISSUER,
        store,
        scopes: SCOPES,
        now,
        onEvent,
        ...api,
      })
      await write(ask, () => guard.access(requestOf(ask), ...scopes), accessLines)
    },
    note: (operation, result) => void tape.exchanges.push(`> ${operation}\n< ${JSON.stringify(result)}`),
    reopened: (settings) => worldOf(ground, openServer(ground, settings), cast, tape),
  }
}

/** Paths in stories are below the issuer; documents are at the root of the host. */
async function send({ issuer, routes }: AuthorizationServer, ask: Ask): Promise<HttpResponse> {
  const below = new URL(issuer).pathname.replace(/\/$/, '') + ask.path
  const route = routes.find(({ path }) => path === ask.path) ?? routes.find(({ path }) => path === below)
  return route?.handle(requestOf(ask)) ?? { status: 0, headers: {}, body: 'There is no such route' }
}

function requestOf({ method, path, query = '', headers = {}, body = '', from }: Ask) {
  return { method, path, query, headers, body, remoteAddress: from }
}
