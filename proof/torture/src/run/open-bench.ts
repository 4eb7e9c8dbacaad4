import { Budget, DEFAULT_LIMITS, PUBLIC_LIMITS } from '../client/budget.ts'
import type { Client } from '../client/client-authentication.ts'
import { newDpopKey } from '../client/dpop-proof.ts'
import { hostGate } from '../client/hosts.ts'
import { type Endpoints, findEndpoints } from '../client/metadata.ts'
import { type Registration, registerClient } from '../client/register.ts'
import { Transport } from '../client/transport.ts'
import { browser } from '../grants/browser.ts'
import type { Ways } from '../grants/ways.ts'
import { Recorder } from '../history/recorder.ts'
import { SeededRandom } from '../random.ts'
import type { Bench } from '../stage/bench.ts'
import type { TortureOptions } from './options.ts'

const MAX_BURST = 8
const WANTED_SCOPES = ['openid', 'offline_access']

/** Reads the metadata, judges every host, and gets the clients ready. @throws HostRefused, NoMetadata */
export async function openBench(options: TortureOptions, seed: number): Promise<Bench> {
  const { issuer, replicas = [], redirectUri = 'http://127.0.0.1:8765/callback' } = options
  const gate = hostGate(options.hosts ?? {})
  const budget = new Budget({ ...DEFAULT_LIMITS, ...options.limits })
  const capFor = async (url: string) => {
    if ((await gate(new URL(url))).reach === 'public') budget.cap(PUBLIC_LIMITS.requests)
  }
  for (const url of [issuer, ...replicas]) await capFor(url)
  const transport = new Transport({ issuer, gate, budget, timeoutMs: options.timeoutMs })
  const endpoints = await findEndpoints(transport, issuer, options.endpoints)
  for (const url of Object.values(endpoints)) if (typeof url === 'string') await capFor(url)
  const scope = options.scope ?? WANTED_SCOPES.filter((each) => endpoints.scopes.includes(each))
  const { dpop = false } = options
  const registration = { redirectUri, scope: scope.join(' '), dpop }
  const found = await clientsOf(options, transport, endpoints, registration)
  const clients = dpop ? withKeys(found) : found
  return {
    ...{ issuer, endpoints, clients, scope, redirectUri, replicas, transport, budget },
    ways: waysOf(options, transport, redirectUri),
    recorder: new Recorder(),
    random: new SeededRandom(seed),
    declared: options.declared ?? {},
    codeSeconds: options.codeSeconds ?? 60,
    maxBurst: MAX_BURST,
    crash: options.crash,
    clock: options.clock,
    slow: options.slow ?? false,
  }
}

async function clientsOf(
  { clients = [], register = false }: TortureOptions,
  transport: Transport,
  endpoints: Endpoints,
  registration: Registration,
): Promise<Bench['clients']> {
  const [first, ...others] = clients
  if (first !== undefined) return [first, ...others]
  if (!register) throw new Error('Name a client by --client, or let the kit register one by --register.')
  const registered = () => registerClient(transport, endpoints.registration, registration)
  const pair: readonly [Client, Client] = [await registered(), await registered()]
  return pair
}

function withKeys([first, ...others]: Bench['clients']): Bench['clients'] {
  const withKey = (client: Client): Client => ({ ...client, dpopKey: client.dpopKey ?? newDpopKey() })
  return [withKey(first), ...others.map(withKey)]
}

function waysOf(options: TortureOptions, transport: Transport, redirectUri: string): Ways {
  const { cookie, typed, authorize, tokens, approve, deny } = options
  const hasBrowser = cookie !== undefined || typed !== undefined
  const byForms = hasBrowser ? browser({ transport, redirectUri, cookie, typed }) : undefined
  return { authorize: authorize ?? byForms, tokens: tokens && [...tokens], approve, deny }
}
