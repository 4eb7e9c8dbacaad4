import { parseArgs } from 'node:util'

export const USAGE = `npx @grantkit/torture <issuer> [options]
npx @grantkit/torture check <history.ndjson> [--only <check>] [--json | --junit]

Races the token endpoint of an OAuth 2.0 server, and checks the history of its answers. It ends grants: not for production.

Clients
  --client <id[:secret]>   a client of the server; once more for another client
  --auth <method>          none, post, basic or private_key_jwt (default: none, or basic with a secret)
  --key <file>             the private JWK for private_key_jwt
  --register               registers two clients (RFC 7591)
  --dpop                   the clients prove possession of keys (RFC 9449)
  --redirect-uri <URL>     of the client (default: http://127.0.0.1:8765/callback)
  --scope <scopes>         (default: openid offline_access, as far as the server has them)

Ways to grants
  --cookie <cookie>        of a session that is signed in
  --form <name=value>      what the user types into the sign-in form; once for each field
  --authorize <command>    gets the authorization URL, prints the URL of the callback
  --tokens <file>          refresh tokens, one on each line, each of a grant of its own
  --approve <command>      approves a device: gets its verification URL, USER_CODE has its code
  --deny <command>         takes an approval back: gets the URL of the callback or the user code

Server
  --token-endpoint, --authorization-endpoint, --revocation-endpoint, --introspection-endpoint, --device-endpoint,
  --logout-endpoint <URL>  what the metadata do not name
  --resource <URL>         what access tokens are used at (default: the userinfo endpoint)
  --replica <base URL>     one process of several; once for each
  --crash <command>        ends the server and starts it again
  --clock <command>        sets the clock of a replica

What the server does on purpose
  --rotation <kind>        strict, same-pair, overlap or none
  --overlap-seconds <n>    for how long a spent refresh token is answered
  --late-repeat-seconds <n>  for how long the last pair is repeated while it is unused
  --replaced-seconds <n>   for how long a token of an earlier rotation is refused without an end of its grant
  --code-seconds <n>       how long codes live (default: 60)
  --cache-seconds <n>      for how long the resource may accept an access token after its grant ended
  --clock-skew <n>         how many seconds clocks may differ (default: 5)
  --revocation <kind>      what it ends: family (default) or token
  --replay-keeps-grant     a spent refresh token does not end its grant
  --logout-ends            a logout must end the grants of its session

Run
  --only <check,check>     some checks
  --seed <n>               makes the choices of a run again
  --slow                   waits until codes and tokens expire
  --requests, --grants, --seconds, --rate <n>   limits (default: 2000, 200, 300, and 20 a second between bursts)
  --private                allows hosts in a private network
  --i-own <host>           allows a public host by its exact name, with at most 300 requests
  --dry-run                prints what the run would take
  --history <file>         writes the history, without secrets
  --json, --junit          the report in another form
  --fail-on <verdict>      unsafe, lossy (default) or noisy

Ends with 0 when nothing is unsafe or lossy, 1 with a finding, 2 for a usage error or a server that cannot be raced,
3 when too few rounds came to an end.`

const text = { type: 'string' } as const
const texts = { type: 'string', multiple: true } as const
const flag = { type: 'boolean', default: false } as const

const OPTIONS = {
  ...{ client: texts, auth: text, key: text, register: flag, dpop: flag, 'redirect-uri': text, scope: text },
  ...{ cookie: text, form: texts, authorize: text, tokens: text, approve: text, deny: text },
  ...{ 'token-endpoint': text, 'authorization-endpoint': text, 'revocation-endpoint': text },
  ...{ 'introspection-endpoint': text, 'device-endpoint': text, 'logout-endpoint': text, resource: text },
  ...{ replica: texts, crash: text, clock: text },
  ...{ rotation: text, 'overlap-seconds': text, 'code-seconds': text, 'cache-seconds': text },
  ...{ 'late-repeat-seconds': text, 'replaced-seconds': text },
  ...{ 'clock-skew': text, revocation: text, 'replay-keeps-grant': flag, 'logout-ends': flag },
  ...{ only: text, seed: text, slow: flag, requests: text, grants: text, seconds: text, rate: text },
  ...{ private: flag, 'i-own': texts, 'dry-run': flag, history: text, json: flag, junit: flag },
  ...{ 'fail-on': text, help: flag },
} as const

/** The options as typed, by their names. */
export type Typed = ReturnType<typeof parsed>['values']

export type CommandLine =
  | { readonly kind: 'run'; readonly issuer: string; readonly typed: Typed }
  | { readonly kind: 'check'; readonly file: string; readonly typed: Typed }
  | { readonly kind: 'help' }
  | { readonly kind: 'refused'; readonly reason: string }

/** @param given the arguments after the program name */
export function readCommandLine(given: readonly string[]): CommandLine {
  try {
    return commandOf(parsed(given))
  } catch (error) {
    // Keeps the first sentence: the advice that Node adds is about positional arguments.
    const message = error instanceof Error ? error.message : String(error)
    return { kind: 'refused', reason: `${message.split(/\.(?:\s|$)/, 1)[0]}.` }
  }
}

const parsed = (given: readonly string[]) =>
  parseArgs({ args: [...given], allowPositionals: true, options: OPTIONS })

function commandOf({ values, positionals }: ReturnType<typeof parsed>): CommandLine {
  const [first, second, ...more] = positionals
  if (values.help) return { kind: 'help' }
  if (first === undefined) return { kind: 'refused', reason: 'The issuer is missing.' }
  if (first === 'check' && second !== undefined && more.length === 0)
    return { kind: 'check', file: second, typed: values }
  if (second !== undefined) return { kind: 'refused', reason: 'Only one issuer can be raced at a time.' }
  if (!URL.canParse(first) || !/^https?:$/.test(new URL(first).protocol))
    return { kind: 'refused', reason: `"${first}" is not an http or https URL.` }
  return { kind: 'run', issuer: first, typed: values }
}
