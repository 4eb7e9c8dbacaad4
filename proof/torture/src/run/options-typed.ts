import { readFile } from 'node:fs/promises'
import { CHECK_IDS, type CheckId } from '../check-id.ts'
import type { AuthenticationMethod, Client } from '../client/client-authentication.ts'
import type { Typed } from '../command-line.ts'
import { runCommand } from '../grants/command.ts'
import type { Declared } from '../history/declared.ts'
import type { TortureOptions } from './options.ts'

/** An option has a value that makes no sense. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The options of a command line, with its commands as functions. @throws UsageError */
export async function optionsOf(issuer: string, typed: Typed): Promise<TortureOptions> {
  return {
    ...{ issuer, clients: await clientsOf(typed), register: typed.register, dpop: typed.dpop },
    ...{
      cookie: typed.cookie,
      redirectUri: typed['redirect-uri'],
      scope: typed.scope?.split(' '),
      typed: formOf(typed.form),
    },
    tokens: typed.tokens === undefined ? undefined : await linesOf(typed.tokens),
    ...commandsOf(typed),
    endpoints: endpointsOf(typed),
    ...{ replicas: typed.replica, declared: declaredOf(typed), codeSeconds: numberOf(typed, 'code-seconds') },
    ...{ slow: typed.slow, only: checksOf(typed.only), seed: numberOf(typed, 'seed') },
    limits: limitsOf(typed),
    hosts: { private: typed.private, owned: typed['i-own'] },
    rerunArguments: rerunArguments(typed),
  }
}

const OF_ONE_RUN = ['only', 'seed', 'json', 'junit', 'history', 'fail-on', 'dry-run', 'help']
const SECRET = ['cookie', 'form']

/** What else a run was told. Secrets are dots. */
function rerunArguments(typed: Typed): readonly string[] {
  const told = Object.entries(typed).filter(([name, value]) => value !== false && !OF_ONE_RUN.includes(name))
  return told.flatMap(([name, value]) => {
    if (value === true) return [`--${name}`]
    return [value].flat().flatMap((each) => [`--${name}`, shownValue(name, String(each))])
  })
}

function shownValue(name: string, value: string): string {
  if (name === 'client') return value.replace(/:.*/s, ':...')
  return SECRET.includes(name) ? '...' : value
}

async function clientsOf({ client = [], auth, key }: Typed): Promise<readonly Client[]> {
  const methods: readonly string[] = ['none', 'post', 'basic', 'private_key_jwt']
  if (auth !== undefined && !methods.includes(auth))
    throw new UsageError(`--auth is one of ${methods.join(', ')}.`)
  if (auth === 'private_key_jwt' && key === undefined) throw new UsageError('private_key_jwt needs --key.')
  const jwk = key === undefined ? undefined : JSON.parse(await readFile(key, 'utf8'))
  return client.map((each) => {
    const [id = '', ...rest] = each.split(':')
    const secret = rest.length > 0 ? rest.join(':') : undefined
    const method = (auth ?? (secret === undefined ? 'none' : 'basic')) as AuthenticationMethod
    return { id, secret, method, key: jwk }
  })
}

async function linesOf(file: string): Promise<readonly string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '')
}

function formOf(fields: readonly string[] | undefined): Readonly<Record<string, string>> | undefined {
  return (
    fields &&
    Object.fromEntries(fields.map((each) => [each.split('=', 1)[0], each.slice(each.indexOf('=') + 1)]))
  )
}

function commandsOf({ authorize, approve, deny, crash, clock }: Typed): Partial<TortureOptions> {
  return {
    authorize: authorize === undefined ? undefined : (url) => runCommand(authorize, url),
    approve:
      approve &&
      (async (device) =>
        void (await runCommand(approve, device.verificationUri, { USER_CODE: device.userCode }))),
    deny: deny && (async (what) => void (await runCommand(deny, what))),
    crash: crash && (async () => void (await runCommand(crash))),
    clock: clock && (async () => void (await runCommand(clock))),
  } as Partial<TortureOptions>
}

function endpointsOf(typed: Typed): TortureOptions['endpoints'] {
  return {
    token: typed['token-endpoint'],
    authorization: typed['authorization-endpoint'],
    revocation: typed['revocation-endpoint'],
    introspection: typed['introspection-endpoint'],
    device: typed['device-endpoint'],
    endSession: typed['logout-endpoint'],
    userinfo: typed.resource,
  }
}

/** @throws UsageError */
export function declaredOf(typed: Typed): Partial<Declared> {
  const { rotation, revocation } = typed
  const rotations: readonly string[] = ['strict', 'same-pair', 'overlap', 'none']
  if (rotation !== undefined && !rotations.includes(rotation))
    throw new UsageError(`--rotation is one of ${rotations.join(', ')}.`)
  if (revocation !== undefined && !['family', 'token'].includes(revocation))
    throw new UsageError('--revocation is family or token.')
  return defined({
    ...{
      rotation: rotation as Declared['rotation'],
      revocationEnds: revocation as Declared['revocationEnds'],
    },
    ...{ overlapSeconds: numberOf(typed, 'overlap-seconds'), cacheSeconds: numberOf(typed, 'cache-seconds') },
    lateRepeatSeconds: numberOf(typed, 'late-repeat-seconds'),
    replacedSeconds: numberOf(typed, 'replaced-seconds'),
    clockSkewSeconds: numberOf(typed, 'clock-skew'),
    replayEndsFamily: typed['replay-keeps-grant'] ? false : undefined,
    logoutEnds: typed['logout-ends'] ? true : undefined,
  })
}

function limitsOf(typed: Typed): TortureOptions['limits'] {
  const names = ['requests', 'grants', 'seconds', 'rate'] as const
  if (numberOf(typed, 'rate') === 0) throw new UsageError('--rate is more than 0.')
  return defined(Object.fromEntries(names.map((name) => [name, numberOf(typed, name)])))
}

/** @throws UsageError */
export function checksOf(only: string | undefined): readonly CheckId[] | undefined {
  const names = only?.split(',')
  const unknown = names?.find((name) => !(CHECK_IDS as readonly string[]).includes(name))
  if (unknown !== undefined) throw new UsageError(`There is no check "${unknown}": ${CHECK_IDS.join(', ')}.`)
  return names as readonly CheckId[] | undefined
}

function numberOf(typed: Typed, name: keyof Typed): number | undefined {
  const value = typed[name]
  if (value === undefined) return undefined
  const number = Number(value)
  if (Number.isFinite(number) && number >= 0) return number
  throw new UsageError(`--${name} is a number.`)
}

function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}
